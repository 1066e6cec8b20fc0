"""Benchmarks of decoding: everything that is compared is measured in one process, in turn.

Absolute times of a machine that others use as well mean little, and those of another hour or
another machine nothing. What is reported besides them are ratios, and what the drafts were worth
(tau), which is the same on every machine.

    methods      what is compared
    huggingface  the same weights decoded by transformers, if it is installed
    measuring    runs them in turn, prompt by prompt
    forwards     single forward passes, of which the roofline is made
    figures      medians, ratios, acceptance: arithmetic on what was measured
    loops        outputs that only repeat themselves
    categories   tau alone, for every category of a workload
    header       machine, versions and settings
    report       all that as text
    document     all that as JSON
"""
