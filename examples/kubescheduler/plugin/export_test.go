package plugin

// Processes is how many schedulers have plugins that are open.
func Processes() int {
	processes.mu.Lock()
	defer processes.mu.Unlock()
	return len(processes.by)
}
