package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leaves calls f for each value within another, with what sets it.
func leaves(path string, v any, set func(any), f func(path string, set func(any))) {
	f(path, set)
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			leaves(path+"."+k, inner, func(x any) { v[k] = x }, f)
		}
	case []any:
		for i, inner := range v {
			leaves(fmt.Sprintf("%s[%d]", path, i), inner, func(x any) { v[i] = x }, f)
		}
	}
}

// Whatever stands in the objects that are about devices, there is an answer, or an error that names
// the object; never a panic, and never both or neither.
func TestHostileDumps(t *testing.T) {
	var whole map[string]any
	require.NoError(t, json.Unmarshal(sample, &whole))
	paths := map[string]bool{} // of each kind once
	total := 0
	for i, item := range whole["items"].([]any) {
		kind := item.(map[string]any)["kind"].(string)
		if !strings.HasPrefix(kind, "Resource") && kind != "DeviceClass" && kind != "Pod" {
			continue
		}
		var found []string
		leaves("", item, func(any) {}, func(path string, _ func(any)) {
			if key := kind + path; !paths[key] {
				paths[key] = true
				found = append(found, path)
			}
		})
		for n, path := range found {
			for m, value := range []any{nil, "", "x", -1, 1e18, true, []any{}, map[string]any{}, []any{nil}, strings.Repeat("ä\x1b", 300)} {
				if (n+m)%2 != 0 {
					continue
				}
				var spoilt map[string]any
				require.NoError(t, json.Unmarshal(sample, &spoilt))
				items := spoilt["items"].([]any)
				leaves("", items[i], func(x any) { items[i] = x }, func(p string, set func(any)) {
					if p == path {
						set(value)
					}
				})
				text, err := json.Marshal(spoilt)
				require.NoError(t, err)
				for _, args := range [][]string{{"--pending", "ml/urgent", "--exact"}, {"--pending", "all"}} {
					total++
					status, out, stderr := ask(string(text), append(args, "--cluster", "-")...)
					at := fmt.Sprintf("%s %s%s = %.20q", args, kind, path, fmt.Sprint(value))
					assert.Contains(t, []int{0, 2}, status, at)
					assert.Equal(t, status == 0, out != "", "%s: %s", at, stderr)
					if status == 2 {
						assert.NotEmpty(t, stderr, at)
					}
					assert.NotContains(t, out+stderr, "\x1b", at)
					assert.NotContains(t, out+stderr, "panic", at)
					assert.NotContains(t, out+stderr, "goroutine", at)
				}
			}
		}
	}
	require.Greater(t, total, 500)
	t.Log(total)
}

// What cannot be used is named, with its object.
func TestBadInput(t *testing.T) {
	old := class("gpus")
	old["apiVersion"] = "resource.k8s.io/v1beta1"
	wrong := claim("mine", exactly("gpus", 1))
	wrong["spec"] = "all"
	broken := append(taken(exactly("gpus", 1))[:2], append([]object{class("gpus", func(s object) { s["selectors"] = []object{{"cel": object{"expression": "device.("}}} })}, taken(exactly("gpus", 1))[3:]...)...)
	for _, tt := range []struct {
		name, dump string
		args       string
		status     int
		want       string
	}{
		{"no JSON", "{", "", 2, "standard input cannot be used: 1 problem"},
		{"nothing", "", "", 2, "standard input is empty; fill it with kubectl get nodes,pods,"},
		{"no nodes", list(pod("p", "", 1)), "", 2, "the dump holds no nodes"},
		{"nothing about devices", list(node("n1"), pod("mine", "", 1, "x")), "--pending mine", 2,
			"holds no resourceclaims, no resourceslices and no deviceclasses, without which there is no answer about devices; list them, too: kubectl get nodes,pods,"},
		{"no slices", list(node("n1"), pod("mine", "", 1, "x"), claim("x", exactly("gpus", 1)), class("gpus")), "--pending mine", 0, "holds no resourceslices, so that no node has a device: no driver publishes any, and it may not be running; if the cluster has some, add them to kubectl get"},
		{"no classes", list(node("n1"), pod("mine", "", 1, "x"), claim("x", exactly("gpus", 1)), slice("n1", 1)), "--pending mine", 0, "holds no deviceclasses, so that every request names a class that is not there"},
		{"no claims", list(node("n1"), pod("mine", "", 1, "x"), class("gpus"), slice("n1", 1)), "--pending mine", 0, "holds no resourceclaims, so that every device counts as free"},
		{"an old version", list(node("n1"), pod("mine", "", 1, "x"), old), "--pending mine", 2, `(DeviceClass gpus): apiVersion: "resource.k8s.io/v1beta1"; resource.k8s.io/v1 is read`},
		{"a claim of another shape", list(node("n1"), pod("mine", "", 1, "mine"), wrong), "--pending mine", 2, "(ResourceClaim mine): "},
		{"two claims of a name", list(node("n1"), pod("mine", "", 1, "mine"), claim("mine", exactly("gpus", 1)), claim("mine", exactly("gpus", 2))), "--pending mine", 2, "resourceclaim default/mine: metadata.name: there are two"},
		{"broken CEL", list(broken...), "--pending mine", 0, `class gpus: selector #0: CEL compile error: compilation failed: ERROR: <input>:1:8: Syntax error`},
		{"a claim whose devices nobody has", list(node("n1"), class("gpus"), slice("n1", 1), claim("a", exactly("gpus", 1), holds("n9", "0", "a")), pod("a", "n1", 1, "a"), pod("mine", "", 9, "x"), claim("x", exactly("gpus", 1))), "--pending mine", 0,
			"has claims with devices that no resourceslice of it has, which hold nothing for anybody: default/a"},
		{"a running pod without its claim", list(node("n1"), class("gpus"), slice("n1", 1), pod("a", "n1", 1, "a"), pod("mine", "", 9, "x"), claim("x", exactly("gpus", 1))), "--pending mine", 0,
			"lacks claims of running pods, so that what they hold counts as free: default/a of pod a"},
		{"a claim that is reserved and holds nothing", list(node("n1"), class("gpus"), slice("n1", 1), claim("a", exactly("gpus", 1), func(_, status object) {
			status["reservedFor"] = []object{{"resource": "pods", "name": "a", "uid": "pod-a"}}
		}), pod("a", "n1", 1, "a"), pod("mine", "", 9, "x"), claim("x", exactly("gpus", 1))), "--pending mine", 0,
			"reserves claims that hold no devices: default/a"},
		{"html of all", "", "--pending all -o html", 2, "--output html is about one pod"},
		{"a question of whatif", "", "--without n1", 2, "--without is a question for kubectl whatif, which does not look at devices"},
		{"two clusters", "", "--live --cluster x", 2, "use one of them"},
		{"an empty name", "", "--pending=", 2, "--pending is empty"},
		{"too many workers", "", "--workers 99999", 2, "--workers"},
	} {
		args := strings.Fields(tt.args)
		if tt.dump != "" || tt.name == "nothing" {
			args = append(args, "--cluster", "-")
		}
		status, out, stderr := ask(tt.dump, args...)
		assert.Equal(t, tt.status, status, "%s: %s", tt.name, stderr)
		assert.Contains(t, flat(out+stderr), tt.want, tt.name)
	}
}
