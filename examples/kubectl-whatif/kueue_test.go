package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/kueue"
)

// The answer about Kueue's quotas is told apart by the exit status, in every form, from files
// and from standard input.
func TestKueueCommand(t *testing.T) {
	dump, err := os.ReadFile("sample/kueue.json")
	require.NoError(t, err)
	for _, tt := range []struct {
		args   string
		status int
		says   string
	}{
		{"--cluster - -f sample/kueue-job.yaml", exitEvicts, "Yes, once 2 workloads have left"},
		{"--cluster sample/kueue.json --pending vision/job-detect-aa410", exitFits, "Yes, and nobody has to leave"},
		{"--cluster sample/kueue.json --pending job-rank-3b6f8 -n search -o yaml", exitFits, "outcome: fits"},
		{"--cluster - -f sample/kueue-job.yaml --kueue-config sample/kueue-config.yaml", exitStays, "Kueue asks again at 2026-09-01 10:10:03 UTC"},
		{"--cluster - -f sample/kueue-job.yaml --kueue-config sample/kueue-config.yaml --now 2026-09-01T10:10:03Z", exitEvicts, "reclaimed within the cohort"},
		{"--list 1", exitEvicts, "and 1 more"},
	} {
		status, stdout, stderr := whatif(string(dump), append([]string{"kueue", "--exit-status"}, strings.Fields(tt.args)...)...)
		assert.Equal(t, tt.status, status, tt.args)
		assert.Empty(t, stderr, tt.args)
		assert.Contains(t, stdout, tt.says, tt.args)
	}
	status, stdout, _ := whatif("", "kueue", "-o", "json")
	assert.Equal(t, exitFits, status, "without --exit-status")
	var d KueueDocument
	require.NoError(t, json.Unmarshal([]byte(stdout), &d))
	assert.Equal(t, kueue.Preempts, d.Answer.Outcome)
}

// What cannot be used is an error, and nothing is written.
func TestKueueCommandRefuses(t *testing.T) {
	for _, tt := range []struct{ dump, args, says string }{
		{"", "-o html", "--output html: this answer comes as text, json and yaml"},
		{"", "--pending a/b -f sample/kueue-job.yaml", "--pending and --filename both name the workload; use one of them"},
		{"", "--list -1", "--list -1: a number of entries cannot be negative"},
		{"{}", "--cluster - -f sample/kueue-job.yaml", "standard input: the dump holds no ClusterQueue; fill it with kubectl get clusterqueues,"},
		{"", "--cluster sample/kueue.json", "which workload? Give a Workload, Job or Pod with --filename, or name one that waits with --pending"},
		{"", "-f sample/deployment.yaml", "Kueue's answer is about a Workload, a Job or a Pod"},
		{"", "--kueue-config sample/kueue-job.yaml", `--kueue-config sample/kueue-job.yaml: kind: "Job" where Configuration is wanted`},
		{"", "--pending vision/none", "there is no Workload vision/none in the dump"},
		{"", "--cluster nowhere.json -f sample/kueue-job.yaml", "--cluster: "},
		{"", "--color sometimes", "--color sometimes"},
		{"", "extra", `unknown command "extra"`},
	} {
		status, stdout, stderr := whatif(tt.dump, append([]string{"kueue"}, strings.Fields(tt.args)...)...)
		assert.Equal(t, exitUnusable, status, tt.args)
		assert.Empty(t, stdout, tt.args)
		assert.Contains(t, stderr, tt.says, tt.args)
	}
}
