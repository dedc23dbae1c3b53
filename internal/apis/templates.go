package apis

import "fmt"

const (
	// MaxGroupLevels is the largest number of levels in a tree of groups.
	MaxGroupLevels = 4
	// MaxTemplates is the largest number of templates in one list of a Workload.
	MaxTemplates = 8
)

// TemplatesProblem says why a Workload cannot have a list of n templates at a level. It is empty if it can.
func TemplatesProblem(n, level int) string {
	switch {
	case n > MaxTemplates:
		return fmt.Sprintf("%d templates, and %d are the most", n, MaxTemplates)
	case n > 0 && level > MaxGroupLevels:
		return fmt.Sprintf("below the last of %d levels", MaxGroupLevels)
	}
	return ""
}
