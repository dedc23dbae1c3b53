package ledger

// TableOf is one of the tables of this package.
type TableOf struct {
	// File is the name of its file.
	File string
	// Paths lists what the table has lines for, in their order.
	Paths func() []string
}

// Tables lists the tables.
func Tables() []TableOf {
	return []TableOf{{"FIELDS.txt", FieldPaths}}
}

// FieldPaths lists the paths of the fields of all kinds, each with its kind in front.
func FieldPaths() (paths []string) {
	for _, k := range Kinds() {
		for _, f := range Fields(k.Type, "") {
			paths = append(paths, k.Name+"."+f.Path)
		}
	}
	return paths
}
