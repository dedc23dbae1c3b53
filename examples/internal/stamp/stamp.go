// Package stamp answers which version of Outrank a program was built from.
//
// A release sets version and revision with the linker's flag -X (.ci/dist does). Any other build has what the
// compiler recorded. Library, programs and reports have one version, because they are built from one commit.
package stamp

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/outrank-go/outrank"
)

// version and revision are set only in a release.
var version, revision string

// own is the module path of the library. The paths of the project's other modules begin with it.
const own = "github.com/outrank-go/outrank"

// unknown is the version of a build that says nothing about itself.
const unknown = "(devel)"

// Stamp is a version of Outrank.
type Stamp struct {
	// Version is like v0.9.0, or (devel) if the build does not say more.
	Version string
	// Revision is the commit from which the program was built. It is empty if that is not known.
	Revision string
}

// Here returns the stamp of the running program.
func Here() Stamp {
	if version != "" {
		return Stamp{version, revision}
	}
	info, _ := debug.ReadBuildInfo()
	return Of(info)
}

// Of reads the compiler's record of a program, which may be nil. For a program of this repository
// the version is the program's own; for another project's program it is that of the library that
// the program requires.
func Of(info *debug.BuildInfo) Stamp {
	s := Stamp{Version: unknown}
	if info == nil {
		return s
	}

	// A library that was replaced by a directory has no version that means anything.
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

// Known returns the version for a report, or nothing if the build does not say which it is.
func (s Stamp) Known() string {
	if s.Version == unknown {
		return ""
	}
	return s.Version
}

// Line returns a line without its end: the program with its version, the releases whose rules it knows, and
// the Go version that built it.
func (s Stamp) Line(program string) string {
	commit := ""
	if s.Revision != "" {
		commit = " of " + s.Revision
	}
	return fmt.Sprintf("%s %s%s, rules of Kubernetes %s, %s %s/%s", program, s.Version, commit, rules(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// rules lists the known releases of Kubernetes, the default first.
func rules() string {
	text := outrank.DefaultRelease.String() + " (the default)"
	for _, r := range []outrank.Release{outrank.V1_37, outrank.V1_36} {
		if r != outrank.DefaultRelease {
			text += " and " + r.String()
		}
	}
	return text
}
