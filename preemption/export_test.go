package preemption

// BuiltInFilters returns the names of the descriptors in their order.
func BuiltInFilters() []string {
	var names []string
	for _, f := range builtIn {
		names = append(names, f.name)
	}
	return names
}
