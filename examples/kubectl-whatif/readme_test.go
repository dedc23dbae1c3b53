package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// commandsOf are the commands of the table of questions in a README.
func commandsOf(t *testing.T, file string) (out []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for _, m := range regexp.MustCompile("(?m)^\\| .*\\? .*\\| `kubectl whatif (.*)` \\|$").FindAllStringSubmatch(string(text), -1) {
		out = append(out, m[1])
	}
	return out
}

// The ten questions are answered about the sample, without a warning, each another.
func TestTenQuestions(t *testing.T) {
	commands := commandsOf(t, "README.md")
	require.Len(t, commands, 10)
	seen := map[string]bool{}
	for _, command := range commands {
		args, _, _ := strings.Cut(command, " > ")
		status, stdout, stderr := whatif("", strings.Fields(args)...)
		assert.Contains(t, []int{exitFits, exitEvicts, exitStays}, status, command)
		assert.True(t, status == exitFits || strings.Contains(command, "--exit-status"), command)
		assert.Empty(t, stderr, command)
		assert.Greater(t, len(stdout), 500, command)
		assert.False(t, seen[stdout], command)
		seen[stdout] = true
	}
	four := commandsOf(t, "../../README.md")
	assert.Len(t, four, 4, "the README of the library has some of them")
	assert.Subset(t, commands, four)
}

// Changes and questions go together in any combination, and each answer says what it is after.
func TestCombinations(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	rows := regexp.MustCompile("(?m)^\\| [^|?`]+ \\| [^|?`]+ \\| `kubectl whatif (.*)` \\|$").FindAllStringSubmatch(string(text), -1)
	require.Len(t, rows, 17)
	seen := map[string]bool{}
	for _, row := range rows {
		status, stdout, stderr := whatif("", strings.Fields(row[1])...)
		assert.Zero(t, status, row[1])
		assert.Empty(t, stderr, row[1])
		assert.Contains(t, stdout, "\n  after      ", row[1])
		assert.False(t, seen[stdout], row[1])
		seen[stdout] = true
	}
}

// Every flag that the README names exists.
func TestFlagsOfTheReadme(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	flags := newCommand(nil).Flags()
	flags.AddFlagSet(kueueCommand(streams{}, nil).Flags())
	found := 0
	for _, m := range regexp.MustCompile("`[^`]*`").FindAllString(string(text), -1) {
		if strings.Contains(m, "cluster-info") {
			continue
		}
		for _, flag := range regexp.MustCompile(`--([a-z][a-z-]*)`).FindAllStringSubmatch(m, -1) {
			assert.NotNil(t, flags.Lookup(flag[1]), m)
			found++
		}
	}
	assert.Greater(t, found, 30)
}

// The names by which krew and kubectl know the program.
func TestKrewManifest(t *testing.T) {
	text, err := os.ReadFile("krew.yaml")
	require.NoError(t, err)
	for _, want := range []string{"\n  name: whatif\n", "\n    bin: kubectl-whatif\n", "apiVersion: krew.googlecontainertools.github.com/v1alpha2\nkind: Plugin\n"} {
		assert.Contains(t, string(text), want)
	}
	assert.NotContains(t, string(text), "\t")

	// What fills in the template is another program; the form of the manifest is checked here.
	call := regexp.MustCompile(`\{\{addURIAndSha "(.*)" \.TagName \| indent 4 \}\}`)
	filled := call.ReplaceAllString(string(text), "uri: $1\n    sha256: x")
	filled = strings.ReplaceAll(filled, "{{ .TagName }}", "v0.9.0")
	require.NotContains(t, filled, "{{")
	var manifest struct {
		APIVersion, Kind string
		Metadata         struct{ Name string }
		Spec             struct {
			Version, Homepage, ShortDescription, Description, Caveats string
			Platforms                                                 []struct {
				Selector         struct{ MatchLabels struct{ OS, Arch string } }
				URI, SHA256, Bin string
			}
		}
	}
	require.NoError(t, yaml.UnmarshalStrict([]byte(filled), &manifest))
	assert.LessOrEqual(t, len(manifest.Spec.ShortDescription), 80)
	assert.Len(t, manifest.Spec.Platforms, 6)
	seen := map[string]bool{}
	for _, p := range manifest.Spec.Platforms {
		at := p.Selector.MatchLabels.OS + "_" + p.Selector.MatchLabels.Arch
		assert.False(t, seen[at], at)
		seen[at] = true
		end, bin := ".tar.gz", "kubectl-whatif"
		if p.Selector.MatchLabels.OS == "windows" {
			end, bin = ".zip", "kubectl-whatif.exe"
		}
		assert.Equal(t, "https://github.com/outrank-go/outrank/releases/download/v0.9.0/kubectl-whatif_"+at+end, p.URI)
		assert.Equal(t, bin, p.Bin)
	}
}
