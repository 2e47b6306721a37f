"""What all experiments share: plan, measurement, samples, tables, summary, report, plots."""
