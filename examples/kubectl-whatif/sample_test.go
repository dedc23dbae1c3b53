package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/samples"
)

// whoLeaves are the names of the pods that an answer has leave, in its order: the first list of
// victims or evictions in it.
func whoLeaves(t *testing.T, answer string) []string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(answer))
	for {
		token, err := dec.Token()
		require.NoError(t, err, answer)
		if token == "replacements" || token == "victims" {
			break
		}
	}
	type pod struct{ Name, Key string }
	var list []struct {
		pod
		Pod  pod
		Pods []pod
	}
	require.NoError(t, dec.Decode(&list), answer)
	var out []string
	for _, v := range list {
		for _, p := range append(v.Pods, v.Pod, v.pod) {
			if name := p.Name + strings.TrimPrefix(p.Key, "default/"); name != "" {
				out = append(out, name)
			}
		}
	}
	return out
}

// A sample by itself has the answer of its scenario, in every form, without a doubt or a
// warning, and says what one sees.
func TestSamples(t *testing.T) {
	for _, s := range samples.All() {
		t.Run(s.Name, func(t *testing.T) {
			text := answered(t, "", "--sample", s.Name)
			assert.Contains(t, text, "What the sample "+s.Name+" shows: "+s.Line+"\n  "+strings.Fields(s.About)[0])
			assert.NotContains(t, text, "Before you rely on this")
			assert.Contains(t, answered(t, "", "--sample", s.Name, "-o", "html"), "What the sample "+s.Name+" shows")
			answered(t, "", "--sample", s.Name, "-o", "yaml")
			answered(t, "", "--sample", s.Name, "--pending", "all")
			if s.Scenario == "" {
				assert.Equal(t, answered(t, ""), answered(t, "", "--sample", s.Name, "--pending", s.Pod))
				return
			}
			var want []string
			if s.Leave != nil {
				want = s.Leave
			}
			out := answered(t, "", "--sample", s.Name, "-o", "json")
			got := whoLeaves(t, out)
			if s.Name == "kubelet" {
				slices.Sort(got) // the report has them class by class
			}
			assert.Equal(t, want, got, out)
		})
	}
}

// What the sentences about a sample foretell comes true.
func TestWhatSamplesForetell(t *testing.T) {
	for args, want := range map[string]string{
		"pdb --pending default/web --set-budget default/b=1": "1  default/hi",
		"affinity --exact":              "It takes default/low1.",
		"across --pending default/web":  "on no node would pushing others out make room",
		"ranks --why-not n1":            "Lower sum of victim priorities: 6 against 8 on n1.",
		"spread --why-not n2":           "n2",
		"taint --why-not n1":            "dedicated=gpu:NoSchedule",
		"exact":                         "It takes default/a.",
		"gang --release v1.36":          "rules      of Kubernetes v1.36 (--release)",
		"pdb --more-nodes n1":           "1 node like n1 is enough until nobody has to leave either",
		"shop --without apps-a1":        "What becomes of the pods of apps-a1",
		"kubelet --pending default/web": "Who would default/web push out of the sample kubelet?",
	} {
		assert.Contains(t, answered(t, "", append([]string{"--sample"}, strings.Fields(args)...)...), want, args)
	}
}

func TestSampleList(t *testing.T) {
	text := answered(t, "", "--sample", "list")
	for _, s := range samples.All() {
		assert.Contains(t, text, "  "+s.Name)
		assert.Contains(t, text, s.Line)
	}
	assert.Equal(t, text, answered(t, "", "--sample=list", "--color", "never"))
}

func TestSamplesThatAreNot(t *testing.T) {
	for args, want := range map[string]string{
		"--sample pbd":                         "--sample pbd: there is no such sample; there is pdb; --sample list",
		"--sample afinity":                     "--sample afinity: there is no such sample; there is affinity; --sample list describes them",
		"--sample=":                            "--sample : there is no such sample",
		"--sample pdb --live":                  "--sample is a cluster that comes with the program, and --live names another; use one of them",
		"--sample pdb --cluster x.json":        "--sample is a cluster that comes with the program, and --cluster names another; use one of them",
		"--sample pdb --pending shop/checkout": "there is no pod shop/checkout in the dump",
	} {
		status, stdout, stderr := whatif("", strings.Fields(args)...)
		assert.Equal(t, 2, status, args)
		assert.Empty(t, stdout, args)
		assert.Contains(t, stderr, want, args)
	}
}
