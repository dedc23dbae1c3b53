package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A claim in a manifest asks for what an API server makes of it: an exact number of devices, which is 1.
func TestManifestsAreCompleted(t *testing.T) {
	mine := `
---
apiVersion: v1
kind: Pod
metadata: {name: mine, namespace: default}
spec:
  priorityClassName: high
  resourceClaims: [{name: gpu, %s}]
  containers: [{name: c, image: x, resources: {claims: [{name: gpu}]}}]
`
	high := object{"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": object{"name": "high"}, "value": 100}
	template := func(requests string) string {
		return `apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: t, namespace: default}
spec: {spec: {devices: {requests: [` + requests + `]}}}` + fmt.Sprintf(mine, "resourceClaimTemplateName: t")
	}
	own := func(requests string) string {
		return `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {name: t, namespace: default}
spec: {devices: {requests: [` + requests + `]}}` + fmt.Sprintf(mine, "resourceClaimName: t")
	}
	for _, form := range []func(string) string{template, own} {
		for name, tt := range map[string]struct {
			requests string
			devices  int
		}{
			"nothing said":  {"{name: r, exactly: {deviceClassName: gpu}}", 1},
			"no count":      {"{name: r, exactly: {deviceClassName: gpu, allocationMode: ExactCount}}", 1},
			"no mode":       {"{name: r, exactly: {deviceClassName: gpu, count: 2}}", 2},
			"all":           {"{name: r, exactly: {deviceClassName: gpu, allocationMode: All}}", 2},
			"one of a list": {"{name: r, firstAvailable: [{name: many, deviceClassName: gpu, count: 3}, {name: one, deviceClassName: gpu}]}", 1},
		} {
			file := filepath.Join(t.TempDir(), "pod.yaml")
			require.NoError(t, os.WriteFile(file, []byte(form(tt.requests)), 0o644))

			free := answered(t, list(node("n"), high, class("gpu"), slice("n", 2)), "-f", file)
			assert.Equal(t, "fits", free.Answer.Release.Outcome, "%s: %s", name, free.Answer.Release.Says)

			taken := answered(t, list(node("n"), high, class("gpu"), slice("n", tt.devices), claim("low", exactly("gpu", tt.devices), holds("n", "0 1"[:2*tt.devices-1], "low")), pod("low", "n", 1, "low")), "-f", file)
			assert.Equal(t, "nothing-helps", taken.Answer.Release.Outcome, "%s: %s", name, taken.Answer.Release.Says)
			assert.Equal(t, "preempt", taken.Answer.Proposed.Outcome, "%s: %s", name, taken.Answer.Proposed.Says)
			require.Len(t, taken.Answer.Proposed.Devices, 1, name)
			assert.Len(t, taken.Answer.Proposed.Devices[0].Devices, tt.devices, name)
		}
	}
}

// Fifteen devices of each of eight sorts, of which sixteen alike are asked for: there are too many ways to
// find that out. The answer comes after a bounded number of steps, and says that the search was ended.
func TestSearchThatIsEndedIsTold(t *testing.T) {
	sorts := func(spec object) {
		for i, d := range spec["devices"].([]object) {
			d["attributes"] = object{"p": object{"int": i / 15}}
		}
	}
	alike := func(c, _ object) {
		spec(c)["devices"].(object)["constraints"] = []object{{"requests": []string{"r"}, "matchAttribute": "gpu/p"}}
	}
	dump := func(n int) string {
		return list(node("n"), class("gpu"), slice("n", 120, sorts), claim("mine", exactly("gpu", n), alike), pod("mine", "", 100, "mine"))
	}
	for _, args := range [][]string{{"--pending", "mine"}, {"--pending", "all"}} {
		assert.Contains(t, answered(t, dump(16), args...).caveats(), "the search was ended")
		assert.NotContains(t, answered(t, dump(15), args...).caveats(), "the search was ended")
	}
	_, out, _ := ask(dump(16), "--cluster", "-", "--pending", "mine", "-o", "json", "--workers", "1")
	_, again, _ := ask(dump(16), "--cluster", "-", "--pending", "mine", "-o", "json", "--workers", "4")
	assert.Equal(t, out, again)
	assert.True(t, json.Valid([]byte(out)))
}
