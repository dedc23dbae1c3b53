package dryrun

// SharedWorkers returns how many goroutines share a call. It is one where nodes share a limit: how much
// of it is left for a node depends on the nodes before it.
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

// Chosen reports whether only a dry run finds the victims on a node. A search then has no bounds but
// those that hold for any set of victims.
func (c *Terms) Chosen() bool {
	return c.Chooser != nil || c.Guard != nil || c.Exact || c.Strict || c.VictimsAlone
}
