package apis

import "fmt"

const (
	// MaxGroupLevels is the largest number of levels in a tree of groups.
	MaxGroupLevels = 4
	// MaxTemplates is the largest number of templates in a list of a workload.
	MaxTemplates = 8
)

// TemplatesProblem says why a list of n templates cannot stand on a level of a workload; empty where it can.
func TemplatesProblem(n, level int) string {
	switch {
	case n > MaxTemplates:
		return fmt.Sprintf("%d templates, and %d are the most", n, MaxTemplates)
	case n > 0 && level > MaxGroupLevels:
		return fmt.Sprintf("below the last of %d levels", MaxGroupLevels)
	}
	return ""
}
