package main

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/outrank-go/outrank"
)

// Version is the output of the subcommand version.
type Version struct {
	// Version is that of the module, (devel) where it was built from a directory.
	Version string `json:"version"`
	// Revision is the commit that it was built from, if that is known.
	Revision string `json:"revision,omitempty"`
	// Releases are those of Kubernetes whose rules are known, the default first.
	Releases  []outrank.Release `json:"releases"`
	GoVersion string            `json:"goVersion"`
	Platform  string            `json:"platform"`
}

// versionOf reads the compiler's record in the program; info may be nil.
func versionOf(info *debug.BuildInfo) Version {
	v := Version{
		Version: "(devel)", Releases: []outrank.Release{outrank.DefaultRelease},
		GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	for _, r := range []outrank.Release{outrank.V1_37, outrank.V1_36} {
		if r != outrank.DefaultRelease {
			v.Releases = append(v.Releases, r)
		}
	}
	if info == nil {
		return v
	}
	v.Version = cmp.Or(info.Main.Version, v.Version)
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Revision = s.Value
		}
	}
	return v
}

// built is the version of this program.
func built() *Version {
	info, _ := debug.ReadBuildInfo()
	v := versionOf(info)
	return &v
}

func (v *Version) text(w io.Writer) error {
	releases := make([]string, len(v.Releases))
	for i, r := range v.Releases {
		releases[i] = r.String()
	}
	revision := ""
	if v.Revision != "" {
		revision = " of " + v.Revision
	}
	_, err := fmt.Fprintf(w, "%s %s%s, rules of Kubernetes %s (the default) and %s, %s %s\n", programName, v.Version, revision,
		releases[0], strings.Join(releases[1:], ", "), v.GoVersion, v.Platform)
	return err
}

func versionCommand() *cobra.Command {
	format := ""
	c := &cobra.Command{
		Use: "version", Short: "Print the version, and whose rules are known",
		Args: cobra.NoArgs, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := built()
			switch format {
			case "":
				return v.text(cmd.OutOrStdout())
			case "json":
				return writeJSON(cmd.OutOrStdout(), v)
			case "yaml":
				return writeYAML(cmd.OutOrStdout(), v)
			}
			return fmt.Errorf("--output %s: the version comes as json and yaml, and as text without it", format)
		},
	}
	c.Flags().StringVarP(&format, "output", "o", "", "json or yaml (default: text)")
	return c
}

// Names of the program: that of its file, which shells complete, and the typed command.
const (
	programName = "kubectl-whatif"
	displayName = "kubectl whatif"
)
