package main

import (
	"slices"
	"strings"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

// module is the path of the module, and the root's package has the name root.
const (
	module = "github.com/outrank-go/outrank"
	root   = "outrank"
)

// side is one of the two that decide.
type side struct {
	// name is what messages call it.
	name string
	// roots are the functions that it decides by. A name with a trailing dot stands for all that the package exports.
	roots []string
	// own is the folder below which all is the side's own. It is empty for a side whose package
	// also has the words, which the other side calls: then the roots alone are its own.
	own string
}

var (
	book   = side{"the book", []string{"preemption.Preempt", "preemption.Explain", "preemption.PreemptGroup"}, ""}
	engine = side{"the engine", []string{"preemption/engine."}, "preemption/engine"}
)

// owns reports whether a function is the side's alone.
func (s side) owns(u *structure.Unit) bool { return s.ownsName(u.Path, u.Name) }

func (s side) ownsName(path, name string) bool {
	below := module + "/" + s.own
	return slices.Contains(s.roots, name) || s.own != "" && (path == below || strings.HasPrefix(path, below+"/"))
}

// packages are the import paths of the roots.
func (s side) packages() (paths []string) {
	for _, name := range s.roots {
		paths = append(paths, pathOf(name))
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// reached is what a side reaches.
func (s side) reached(calls *structure.Calls) (*structure.Reached, error) {
	var roots []string
	for _, name := range s.roots {
		if !strings.HasSuffix(name, ".") {
			roots = append(roots, name)
			continue
		}
		exported, err := calls.Exported(pathOf(name))
		if err != nil {
			return nil, err
		}
		roots = append(roots, exported...)
	}
	return calls.Reach(roots...)
}

// folderOf is the folder of the package that a name such as resource.Name.Counted begins with, "." for
// the root.
func folderOf(name string) string {
	folder, _, _ := strings.Cut(name, ".")
	if folder != root {
		return folder
	}
	return "."
}

// pathOf is the import path of that package.
func pathOf(name string) string {
	if folder := folderOf(name); folder != "." {
		return module + "/" + folder
	}
	return module
}

// withoutFolder is the name within its package.
func withoutFolder(name string) string {
	_, in, _ := strings.Cut(name, ".")
	return in
}
