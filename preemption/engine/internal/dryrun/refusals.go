package dryrun

// SharedWorkers returns the number of goroutines that share a call. It is one if the nodes share a limit on
// steps, because how much of it is left for a node depends on the nodes before.
func (c *Terms) SharedWorkers() int {
	if c.Exact && c.Limit > 0 {
		return 1
	}
	return max(1, c.Workers)
}

// ChargesVictims reports whether violations are counted by charging the budgets for the actual victims alone,
// the most important first.
func (c *Terms) ChargesVictims() bool {
	return c.Chooser != nil || c.Exact || c.VictimsAlone && !c.Ascending()
}

// Chosen reports whether only a dry run can find the victims on a node. Then only those bounds are valid that
// hold for any set of victims.
func (c *Terms) Chosen() bool {
	return c.Chooser != nil || c.Guard != nil || c.Exact || c.Strict || c.VictimsAlone
}
