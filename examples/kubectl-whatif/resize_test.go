package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/preemption"
)

const resizesOn = "v1.37," + resizeGate + "=true"

// resized has the fields of a pod of 2 cpu whose resize has been deferred.
func resized(_, _, status map[string]any) {
	status["conditions"] = []any{map[string]any{"type": "PodResizePending", "status": "True", "reason": "Deferred"}}
	two := map[string]any{"cpu": "2"}
	status["containerStatuses"] = []any{map[string]any{"name": "c", "allocatedResources": two, "resources": map[string]any{"requests": two}}}
}

// resizeDump is a node of 4 cpu with two pods of 1, and a third that is to grow.
func resizeDump(to string, edits ...string) string {
	n1 := nodeItem("n1", "4")
	for i := 0; i < len(edits); i += 2 {
		n1 = strings.Replace(n1, edits[i], edits[i+1], 1)
	}
	return listOf(n1, nodeItem("n2", "8"), podItem("a", "n1", 1, "1"), podItem("b", "n1", 1, "1", createdAt("2026-01-02T00:00:00Z"), started("2026-01-02T00:00:00Z")),
		podItem("me", "n1", 100, to, resized), podItem("waits", "", 5, "1"))
}

// The answers about a resize in place, in words.
func TestResizeGolden(t *testing.T) {
	spares := []string{`"status":`, `"spec":{"podPreemptionPolicy":{"disableResizePreemption":["batch-guard"]}},"status":`}
	for _, tt := range []struct{ file, dump string }{
		{"resize-preempts.txt", resizeDump("3")},
		{"resize-fits.txt", resizeDump("2")},
		{"resize-too-large.txt", resizeDump("5")},
		{"resize-spared.txt", resizeDump("3", spares...)},
		{"resize-pod-limit.txt", resizeDump("2", `"pods":"10"`, `"pods":"3"`)},
	} {
		t.Run(tt.file, func(t *testing.T) {
			got := answered(t, tt.dump, "-cluster", "-", "-pending", "default/me", "-release", resizesOn)
			file := filepath.Join("testdata", tt.file+".golden")
			if *update {
				require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
			}
			want, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.Empty(t, cmp.Diff(string(want), got), "after a change that is meant run go test -update (-want +got)")
		})
	}
}

// The document names the resize, and the amounts that have to be free for it.
func TestResizeDocument(t *testing.T) {
	var doc struct {
		Resize   *struct{ Node string }
		Decision struct {
			Outcome string
			Resize  bool
			Victims []any
		}
		Room []map[string]string
	}
	text := answered(t, resizeDump("3"), "-cluster", "-", "-pending", "me", "-release", resizesOn, "-o", "json")
	require.NoError(t, json.Unmarshal([]byte(text), &doc))
	require.NotNil(t, doc.Resize)
	assert.Equal(t, "n1", doc.Resize.Node)
	assert.Equal(t, "preempt", doc.Decision.Outcome)
	assert.True(t, doc.Decision.Resize)
	assert.Len(t, doc.Decision.Victims, 1)
	assert.Equal(t, map[string]string{"resource": "cpu", "allocatable": "4", "used": "5", "freed": "1", "needed": "0", "reserved": "0", "after": "4"}, doc.Room[0])
}

// A pod that may not preempt keeps its resize deferred.
func TestResizeThatMayNotPreempt(t *testing.T) {
	dump := strings.Replace(resizeDump("3"), `"priority":100`, `"priority":100,"preemptionPolicy":"Never"`, 1)
	args := []string{"-cluster", "-", "-pending", "default/me", "-release", resizesOn}
	assert.Equal(t, preemption.NotEligible, answerOf(t, dump, args...).Outcome)
	assert.Contains(t, answered(t, dump, args...), "Nobody leaves, and the resize stays deferred: there is no room for it, and the pod may not push others\nout: its preemption policy is Never")
}

// Without the gate there is no such question, and the error names the gate.
func TestResizeNeedsItsGate(t *testing.T) {
	status, stdout, stderr := whatif(resizeDump("3"), "-cluster", "-", "-pending", "default/me", "-release", "v1.37")
	assert.Equal(t, 2, status)
	assert.Empty(t, stdout)
	assert.Equal(t, "whatif: pod default/me already runs on node n1, which has deferred its resize in place; a scheduler preempts for that with the gate "+
		"InPlacePodVerticalScalingSchedulerPreemption alone: --release v1.37,InPlacePodVerticalScalingSchedulerPreemption=true\n", stderr)
	_, _, stderr = whatif(resizeDump("3"), "-cluster", "-", "-pending", "default/a", "-release", resizesOn)
	assert.Contains(t, stderr, "pod default/a is not pending, it already runs on node n1")
	_, _, stderr = whatif(resizeDump("3"), "-cluster", "-", "-exact", "-release", resizesOn)
	assert.Contains(t, stderr, "default/me, default/waits")
}
