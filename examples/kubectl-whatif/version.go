package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/stamp"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
)

// Version is the output of the subcommand version.
type Version struct {
	// Version is the version of the module, (devel) if it was built from a directory.
	Version string `json:"version"`
	// Revision is the commit that the program was built from, if that is known.
	Revision string `json:"revision,omitempty"`
	// Releases are the releases of Kubernetes whose rules are known, the default first.
	Releases  []outrank.Release `json:"releases"`
	GoVersion string            `json:"goVersion"`
	Platform  string            `json:"platform"`
}

// built returns the version of this program.
func built() *Version {
	s := stamp.Here()
	v := &Version{
		Version: s.Version, Revision: s.Revision, Releases: []outrank.Release{outrank.DefaultRelease},
		GoVersion: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	for _, r := range []outrank.Release{outrank.V1_37, outrank.V1_36} {
		if r != outrank.DefaultRelease {
			v.Releases = append(v.Releases, r)
		}
	}
	return v
}

// printVersion writes the version for a person.
func printVersion(w io.Writer) error {
	_, err := fmt.Fprintln(w, stamp.Here().Line(programName))
	return err
}

// versionCommand prints the version.
func versionCommand() *cobra.Command {
	format := ""
	c := &cobra.Command{
		Use: "version", Short: "Print the version, and whose rules are known",
		Args: cobra.NoArgs, ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch format {
			case "":
				return printVersion(cmd.OutOrStdout())
			case "json":
				return console.JSON(cmd.OutOrStdout(), built())
			case "yaml":
				return console.YAML(cmd.OutOrStdout(), built())
			}
			return fmt.Errorf("--output %s: the version comes as json and yaml, and as text without it", format)
		},
	}
	c.Flags().StringVarP(&format, "output", "o", "", "json or yaml (default: text)")
	return c
}

// The program has two names: the name of its file, which shells complete, and the command that is typed.
const (
	programName = "kubectl-whatif"
	displayName = "kubectl whatif"
)
