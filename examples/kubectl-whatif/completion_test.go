package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/samples"
)

// What a shell is offered for a line so far.
func TestCompletion(t *testing.T) {
	dump := manifest(t, listOf(nodeItem("n1", "1"), nodeItem("n2", "1"), podItem("waits", "", 1, "1"), podItem("runs", "n1", 1, "1"),
		classItem("high", 5, false), item("Namespace", "shop", nil), item("PersistentVolumeClaim", "data", nil)))
	for _, tt := range []struct{ line, want string }{
		{"-o ", "text wide json yaml html"},
		{"--color ", "auto always never"},
		{"--release ", "v1.37 v1.36"},
		{"--pending shop/", "shop/checkout-2"},
		{"--sample ", strings.Join(append(samples.Names(), "list"), " ")},
		{"--sample ports --pending ", "all default/web"},
		{"--why-not apps-b", "apps-b1 apps-b2 apps-b3"},
		{"--cluster " + dump + " --pending ", "all default/waits"},
		{"-cluster " + dump + " -without ", "n1 n2"},
		{"--cluster " + dump + " --on-node n2", "n2"},
		{"--cluster=" + dump + " --class ", "high"},
		{"--cluster " + dump + " -n ", "default shop"},
		{"--cluster " + dump + " --claim ", "data"},
		{"--cluster " + dump + ".none --class ", ""},
		{"--live --class ", ""},
		{"--cpu 1 --release v1.36 --timings --now never --without apps-a1 --without apps-a", "apps-a1 apps-a2 apps-a3"},
		{"--without apps-a1,apps-a", "apps-a1,apps-a2 apps-a1,apps-a3"},
		{"--set-class p", "patient= production="},
		{"--set-class batch=", "batch="},
		{"--pendi", "--pending"},
		{"ver", "version"},
		{"", "clusterrole completion help kueue version"},
	} {
		args := strings.Split(tt.line, " ")
		_, out, _ := whatif("", append([]string{"__complete"}, args...)...)
		var got []string
		for line := range strings.Lines(out) {
			if name, _, _ := strings.Cut(strings.TrimSpace(line), "\t"); name != "" && name[0] != ':' {
				got = append(got, name)
			}
		}
		assert.Equal(t, tt.want, strings.Join(got, " "), tt.line)
	}
}

func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		assert.Contains(t, answered(t, "", "completion", shell), "kubectl-whatif", shell)
	}
	// kubectl calls a program of another name for the line behind "kubectl whatif".
	assert.Equal(t, []string{"__complete", "-o", ""}, completionArgs("/usr/bin/kubectl_complete-whatif", []string{"-o", ""}))
	assert.Equal(t, []string{"-o"}, completionArgs("/usr/bin/kubectl-whatif", []string{"-o"}))
}
