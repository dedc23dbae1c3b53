package filter

// Table has something for each filter, by its name, in a type of the package that makes it.
// TestTablesHaveEveryFilter checks that every table of the module has every filter.
type Table[T any] map[string]T
