package ledger

// TableOf is one of the tables of this package.
type TableOf struct {
	// File is the name of its file.
	File string
	// Paths lists what the table has lines for, in their order.
	Paths func() ([]string, error)
}

// Tables lists the tables.
func Tables() []TableOf {
	return []TableOf{{"FIELDS.txt", fieldPaths}, {"GATES.txt", gatePaths}, {"CONFIGURATION.txt", configurationPaths}}
}

// fieldPaths lists the paths of the fields of all kinds, each with its kind in front.
func fieldPaths() (paths []string, err error) { return pathsOf(Kinds()), nil }

// configurationPaths lists the paths of the fields of a configuration and of its arguments.
func configurationPaths() (paths []string, err error) { return pathsOf(Configurations()), nil }

func pathsOf(kinds []Kind) (paths []string) {
	for _, k := range kinds {
		for _, f := range Fields(k.Type, "") {
			paths = append(paths, k.Name+"."+f.Path)
		}
	}
	return paths
}
