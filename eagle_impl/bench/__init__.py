"""Benchmarks of decoding: everything that is compared is measured in one process, in turn.

Absolute times of a machine that others use as well mean little, and those of another hour or
another machine nothing. What is reported besides them are ratios, and what the drafts were worth
(tau), which is the same on every machine.

    asked        what a benchmark is asked for, and the presets
    methods      what is compared
    huggingface  the same weights decoded by transformers, if it is installed
    llama_server the same model decoded by llama.cpp, if it is named
    serving      servers of other engines, and that nothing is left of them
    others       the engines that are there, or why they are not
    measuring    runs them in turn, prompt by prompt
    journal      keeps each piece that was measured, so that a killed run can go on
    clock        reads the time once the device is done, and knows what that costs
    memory       the most memory that was held
    forwards     single forward passes, of which the roofline is made
    batches      plain decoding of many sequences at once
    figures      medians, ratios, acceptance: arithmetic on what was measured
    loops        outputs that only repeat themselves
    categories   tau alone, for every category of a workload
    machine      the machine, described by itself
    header       versions, commit and settings
    measured     all that was measured, and what follows from it
    verdict      whether it may be reported
    results      its numbers, each with what it runs over
    report       all that as text
    document     all that as JSON
    recording    all that as a record that stands beside the claims
    shown        a record as people are shown it
    plots        a record as plots
    plot_style   how these look on light and dark pages, and become files
    blocks       a record as tables in documents
"""
