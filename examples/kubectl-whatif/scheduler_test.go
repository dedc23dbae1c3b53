package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption"
)

// configFile is a configuration of these profiles.
func configFile(t *testing.T, profiles string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "scheduler.json")
	text := `{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": [` + profiles + `]}`
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// byConfig runs the program with a configuration of these profiles.
func byConfig(t *testing.T, profiles string, args ...string) (status int, out, errs string) {
	t.Helper()
	var o, e bytes.Buffer
	status = run(append([]string{"-scheduler-config", configFile(t, profiles)}, args...), strings.NewReader(""), &o, &e)
	return status, o.String(), e.String()
}

// The sample's question is answered by the configuration of its scheduler.
func TestSchedulerConfig(t *testing.T) {
	var usual bytes.Buffer
	require.Zero(t, run(nil, strings.NewReader(""), &usual, &bytes.Buffer{}))
	status, out, errs := byConfig(t, "{}")
	require.Zero(t, status, errs)
	assert.Equal(t, usual.String(), out, "a file that changes nothing")

	status, out, errs = byConfig(t, `{"plugins": {"postFilter": {"disabled": [{"name": "DefaultPreemption"}], "enabled": [{"name": "Mine"}]}}}`)
	require.Zero(t, status, errs)
	assert.Contains(t, out, "its scheduler is configured without preemption.")
	assert.Contains(t, errs, "whatif: warning: KubeSchedulerConfiguration: profiles[0].plugins.postFilter: plugin Mine")

	status, out, errs = byConfig(t, `{"pluginConfig": [{"name": "NodeAffinity", "args": {"addedAffinity":
		{"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}}}]}`)
	require.Zero(t, status, errs)
	assert.Contains(t, out, "node(s) didn't match scheduler-enforced node affinity")

	status, _, errs = byConfig(t, `{"pluginConfig": [{"name": "PodTopologySpread", "args": {"defaultingType": "List", "defaultConstraints":
		[{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}]}}]}`)
	require.Zero(t, status, errs)
	assert.Contains(t, errs, "defaultConstraints: left out")
}

// A pod of another scheduler is no caveat where the configuration has a profile for
// it: the answer is that profile's. Gates keep the pod from it all the same.
func TestCaveatsByConfig(t *testing.T) {
	mine := withSpec("schedulerName", "mine")
	gated := withSpec("schedulingGates", []any{map[string]any{"name": "a"}})
	const profiles = `{"schedulerName": "default-scheduler"}, {"schedulerName": "mine", "plugins": {"postFilter": {"disabled": [{"name": "*"}]}}}`
	for _, tt := range []struct {
		name, file string
		edits      []func(_, _, _ map[string]any)
		want       []string // the beginning of each
	}{
		{"without a file", "", []func(_, _, _ map[string]any){mine}, []string{"pod default/p: spec.schedulerName: scheduler mine places the pod, by rules of its own"}},
		{"its profile", profiles, []func(_, _, _ map[string]any){mine}, nil},
		{"its profile, and gates", profiles, []func(_, _, _ map[string]any){mine, gated}, []string{"pod default/p: spec.schedulingGates: "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := []string{"-cluster", "-", "-pending", "default/p"}
			if tt.file != "" {
				args = append(args, "-scheduler-config", configFile(t, tt.file))
			}
			dump := whole(podItem("p", "", 9, "4", tt.edits...))
			got := caveatsOf(t, dump, args...)
			assert.True(t, slices.EqualFunc(got, tt.want, strings.HasPrefix), "caveats %q, want %q", got, tt.want)
			off := strings.Contains(answered(t, dump, args...), "its scheduler is configured without preemption.")
			assert.Equal(t, tt.file != "", off, "decided by the profile")
		})
	}
}

// Room is left to nominated pods of the profiles of the same kube-scheduler, whichever of
// them places the pod that is asked about (rule 7.16.3).
func TestProfilesShareNominations(t *testing.T) {
	mine := withSpec("schedulerName", "mine")
	dump := listOf(nodeItem("n", "1"), podItem("low", "n", 1, "1"), podItem("first", "", 9, "1", mine, nominatedTo("n")), podItem("p", "", 9, "1"))
	for _, tt := range []struct {
		name, file string
		want       preemption.Outcome
	}{
		{"one profile is assumed", "", preemption.Preempts},
		{"one profile", `{"schedulerName": "default-scheduler"}`, preemption.Preempts},
		{"both", `{"schedulerName": "mine"}, {"schedulerName": "default-scheduler"}`, preemption.NothingHelps},
	} {
		args := []string{"-cluster", "-", "-pending", "default/p"}
		if tt.file != "" {
			args = append(args, "-scheduler-config", configFile(t, tt.file))
		}
		assert.Equal(t, tt.want, answerOf(t, dump, args...).Outcome, tt.name)
	}
}

func TestSchedulerConfigThatCannotBeUsed(t *testing.T) {
	status, out, errs := byConfig(t, `{"schedulerName": "batch"}`)
	assert.Equal(t, 2, status)
	assert.Empty(t, out)
	assert.Contains(t, errs, `has no profile for "default-scheduler", the scheduler of pod`)
	status, _, errs = byConfig(t, `{"schedulername": "batch"}`)
	assert.Equal(t, 2, status)
	assert.Contains(t, errs, "profiles[0].schedulername: unknown field")
	var o, e bytes.Buffer
	assert.Equal(t, 2, run([]string{"-scheduler-config", filepath.Join(t.TempDir(), "none")}, strings.NewReader(""), &o, &e))
	assert.Contains(t, e.String(), "--scheduler-config: open")
}

// A configuration of the scheduler may be in YAML, as clusters have it.
func TestSchedulerConfigInYAML(t *testing.T) {
	file := filepath.Join(t.TempDir(), "scheduler.yaml")
	require.NoError(t, os.WriteFile(file, []byte("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: default-scheduler\n"), 0o600))
	assert.Equal(t, answered(t, ""), answered(t, "", "--scheduler-config", file))
}

// Victims on whatever nodes are looked for on every node, also where the scheduler ends its search.
func TestAcrossLooksAtEveryNode(t *testing.T) {
	file := configFile(t, `{"schedulerName": "default-scheduler", "pluginConfig": [{"name": "DefaultPreemption", "args": {"minCandidateNodesAbsolute": 1}}]}`)
	assert.Equal(t, answered(t, "", "--across"), answered(t, "", "--across", "--scheduler-config", file))
}
