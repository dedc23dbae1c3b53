package main

import (
	"slices"
	"strings"

	"github.com/outrank-go/outrank/internal/tests/structure"
)

// module is the path of the module, and root the name of its root package.
const (
	module = "github.com/outrank-go/outrank"
	root   = "outrank"
)

// side is one of the two implementations that decide.
type side struct {
	// name is used in messages.
	name string
	// roots are the functions by which it decides. A name that ends in a dot stands for everything that the
	// package exports.
	roots []string
	// own is the folder below which everything belongs to the side alone. It is empty for a side whose
	// package also has types that the other side uses: then only the roots are its own.
	own string
}

var (
	book   = side{"the book", []string{"preemption.Preempt", "preemption.Explain", "preemption.PreemptGroup"}, ""}
	engine = side{"the engine", []string{"preemption/engine."}, "preemption/engine"}
)

// owns reports whether a function belongs to the side alone.
func (s side) owns(u *structure.Unit) bool { return s.ownsName(u.Path, u.Name) }

// ownsName is owns for a function given by the import path of its package and its name with the folder.
func (s side) ownsName(path, name string) bool {
	below := module + "/" + s.own
	return slices.Contains(s.roots, name) || s.own != "" && (path == below || strings.HasPrefix(path, below+"/"))
}

// packages returns the import paths of the packages of the roots.
func (s side) packages() (paths []string) {
	for _, name := range s.roots {
		paths = append(paths, pathOf(name))
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// reached follows the calls from the roots of the side.
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

// folderOf returns the folder of the package that a name such as resource.Name.Counted begins with. It is "."
// for the root package.
func folderOf(name string) string {
	folder, _, _ := strings.Cut(name, ".")
	if folder != root {
		return folder
	}
	return "."
}

// pathOf returns the import path of the package that a name begins with.
func pathOf(name string) string {
	if folder := folderOf(name); folder != "." {
		return module + "/" + folder
	}
	return module
}

// withoutFolder returns the part of a name behind the package.
func withoutFolder(name string) string {
	_, in, _ := strings.Cut(name, ".")
	return in
}
