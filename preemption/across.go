package preemption

// across reports whether victims on several nodes are looked for (chapter 23).
func (c *Config) across() bool {
	_, across := c.Victims.(Across)
	return across
}
