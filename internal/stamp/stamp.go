// Package stamp answers which version of Outrank a program was built from.
//
// A release sets both variables with the linker's flag -X (.ci/dist does). Any other build says
// what the compiler has recorded. Library, programs and reports have one version: they are built
// from one commit.
package stamp

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/outrank-go/outrank/internal/release"
)

// version and revision are empty but in a release.
var version, revision string

// own is the path that the modules of this project begin with.
const own = "github.com/outrank-go/outrank"

// unknown is the version of a build that says nothing about itself.
const unknown = "(devel)"

// Stamp is a version of Outrank.
type Stamp struct {
	// Version is like v0.9.0, (devel) where a build from a directory says no more.
	Version string
	// Revision is the commit that the program was built from; empty where that is not known.
	Revision string
}

// Here is the stamp of the running program.
func Here() Stamp {
	if version != "" {
		return Stamp{version, revision}
	}
	info, _ := debug.ReadBuildInfo()
	return Of(info)
}

// Of reads the compiler's record of a program, which may be nil. The version is that of the
// library where another project's program requires it, and that of the program where it is one of
// this repository.
func Of(info *debug.BuildInfo) Stamp {
	s := Stamp{Version: unknown}
	if info == nil {
		return s
	}
	if info.Main.Path != own && !strings.HasPrefix(info.Main.Path, own+"/") {
		for _, m := range info.Deps {
			if m.Path == own && m.Replace == nil && m.Version != "" {
				s.Version = m.Version
			}
		}
		return s
	}
	if info.Main.Version != "" {
		s.Version = info.Main.Version
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			s.Revision = setting.Value
		}
	}
	return s
}

// Known is the version for a report: empty where the build does not say which it is.
func (s Stamp) Known() string {
	if s.Version == unknown {
		return ""
	}
	return s.Version
}

// Line says in a line without its end which program of which version this is, by the rules of
// which releases it decides, and what built it.
func (s Stamp) Line(program string) string {
	of := ""
	if s.Revision != "" {
		of = " of " + s.Revision
	}
	return fmt.Sprintf("%s %s%s, rules of Kubernetes %s, %s %s/%s", program, s.Version, of, rules(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// rules lists the releases, the default first.
func rules() string {
	text := release.Default.String() + " (the default)"
	for _, r := range release.All() {
		if r != release.Default {
			text += " and " + r.String()
		}
	}
	return text
}
