package dryrun

// SharedWorkers is how many goroutines share a call: one where the nodes share a limit.
func (c *Terms) SharedWorkers() int {
	if c.Exact && c.Limit > 0 {
		return 1
	}
	return max(1, c.Workers)
}

// ChargesVictims reports whether budgets are charged for the actual victims alone, the
// most important first.
func (c *Terms) ChargesVictims() bool {
	return c.Chooser != nil || c.Exact || c.VictimsAlone && !c.Ascending()
}

// Chosen reports whether the victims on a node are only found by a dry run, so that
// bounds that hold for any set of victims are all that a search has.
func (c *Terms) Chosen() bool {
	return c.Chooser != nil || c.Guard != nil || c.Exact || c.Strict || c.VictimsAlone
}
