package filter

// Table has a value for each filter, by the filter's name. The package that makes a table chooses the type of
// values. TestTablesHaveEveryFilter checks that every table of the module has every filter.
type Table[T any] map[string]T
