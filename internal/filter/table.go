package filter

// Table has for each filter, by name, what a room knows of it in types of its own.
// TestTablesHaveEveryFilter holds every table of the module to the entries.
type Table[T any] map[string]T
