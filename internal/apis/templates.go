package apis

import "fmt"

const (
	// MaxGroupLevels is the most levels of a tree of groups.
	MaxGroupLevels = 4
	// MaxTemplates is the most templates of a list of a workload.
	MaxTemplates = 8
)

// TemplatesProblem says why there is no list of so many templates on a level.
func TemplatesProblem(n, level int) string {
	switch {
	case n > MaxTemplates:
		return fmt.Sprintf("%d templates, and %d are the most", n, MaxTemplates)
	case n > 0 && level > MaxGroupLevels:
		return fmt.Sprintf("below the last of %d levels", MaxGroupLevels)
	}
	return ""
}
