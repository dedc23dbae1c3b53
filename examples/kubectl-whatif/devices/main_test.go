package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files anew")

// object is a part of a dump.
type object = map[string]any

// ask runs the program with a dump on standard input.
func ask(dump string, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = run(args, strings.NewReader(dump), &out, &err)
	return status, out.String(), err.String()
}

// answered runs the program where an answer is due, and returns its document.
func answered(t *testing.T, dump string, args ...string) *told {
	t.Helper()
	status, out, stderr := ask(dump, append([]string{"--cluster", "-", "-o", "json"}, args...)...)
	require.Zero(t, status, stderr)
	doc := &told{}
	require.NoError(t, json.Unmarshal([]byte(out), doc))
	return doc
}

// told is a document as its reader sees it.
type told struct {
	Question string
	Node     string
	Pod      struct{ Claims []asked }
	Answer   struct {
		Release, Proposed toldWay
		Shortages         []shortage
	}
	Turns   []pair
	Caveats []caveat
}

type toldWay struct {
	Says, Outcome, Node, Plugin string
	Victims                     []victim
	Devices                     []given
	TurnedDown, Unhelpful       []count
	Exact                       *exact
	Failed                      *failed
}

// caveats are those of a document, in a text.
func (d *told) caveats() string {
	var out []string
	for _, c := range d.Caveats {
		out = append(out, c.text())
	}
	return strings.Join(out, "\n")
}

func list(items ...object) string {
	text, err := json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func node(name string) object {
	return object{"apiVersion": "v1", "kind": "Node", "metadata": object{"name": name, "labels": object{"kubernetes.io/hostname": name}}, "status": object{"allocatable": object{"cpu": "8", "pods": "20"}}}
}

// class is a device class of the driver gpu; edits change its spec.
func class(name string, edits ...func(spec object)) object {
	spec := object{"selectors": []object{{"cel": object{"expression": `device.driver == "gpu"`}}}}
	for _, edit := range edits {
		edit(spec)
	}
	return object{"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": object{"name": name}, "spec": spec}
}

// slice has devices 0 to n-1 of a node.
func slice(node string, n int, edits ...func(spec object)) object {
	var devices []object
	for i := range n {
		devices = append(devices, object{"name": fmt.Sprint(i)})
	}
	spec := object{"driver": "gpu", "nodeName": node, "pool": object{"name": node, "generation": 1, "resourceSliceCount": 1}, "devices": devices}
	for _, edit := range edits {
		edit(spec)
	}
	return object{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceSlice", "metadata": object{"name": node + "-gpu"}, "spec": spec}
}

// exactly is a request of a number of devices; 0 for all.
func exactly(class string, n int, edits ...func(request object)) object {
	e := object{"deviceClassName": class, "allocationMode": "ExactCount", "count": n}
	if n == 0 {
		e = object{"deviceClassName": class, "allocationMode": "All"}
	}
	for _, edit := range edits {
		edit(e)
	}
	return object{"name": "r", "exactly": e}
}

func claim(name string, request object, edits ...func(claim, status object)) object {
	status := object{}
	c := object{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": object{"name": name, "namespace": "default", "uid": "claim-" + name},
		"spec": object{"devices": object{"requests": []object{request}}}, "status": status}
	for _, edit := range edits {
		edit(c, status)
	}
	return c
}

// holds allocates devices of a node to a claim, reserved for pods.
func holds(node, devices string, pods ...string) func(_, status object) {
	return func(_, status object) {
		var results, reserved []object
		for _, name := range strings.Fields(devices) {
			results = append(results, object{"request": "r", "driver": "gpu", "pool": node, "device": name})
		}
		for _, name := range pods {
			reserved = append(reserved, object{"resource": "pods", "name": name, "uid": "pod-" + name})
		}
		status["allocation"] = object{"devices": object{"results": results}, "nodeSelector": object{"nodeSelectorTerms": []object{
			{"matchFields": []object{{"key": "metadata.name", "operator": "In", "values": []string{node}}}}}}}
		status["reservedFor"] = reserved
	}
}

// pod runs on a node, or waits; its claims have their own names.
func pod(name, node string, priority int, claims ...string) object {
	var refs []object
	for i, c := range claims {
		refs = append(refs, object{"name": fmt.Sprintf("c%d", i), "resourceClaimName": c})
	}
	spec := object{"priority": priority, "containers": []object{{"name": "main", "resources": object{"requests": object{"cpu": "1"}}}}, "resourceClaims": refs}
	if node != "" {
		spec["nodeName"] = node
	}
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": name, "namespace": "default", "uid": "pod-" + name}, "spec": spec, "status": object{}}
}

// spec is that of an object, to change it.
func spec(o object) object { return o["spec"].(object) }

// The answers about the sample, in each form.
func TestGolden(t *testing.T) {
	for _, tt := range []struct {
		file string
		args []string
	}{
		{"sample.txt", nil}, {"sample.json", []string{"-o", "json"}}, {"sample.yaml", []string{"-o", "yaml"}}, {"sample.html", []string{"-o", "html"}},
		{"pending.txt", []string{"--pending", "all"}}, {"pending.json", []string{"--pending", "all", "-o", "json"}}, {"exact.txt", []string{"--pending", "ml/later", "--exact"}},
		{"why-not.txt", []string{"--why-not", "gpu-a2"}}, {"usage.txt", []string{"-h"}},
	} {
		status, got, stderr := ask("", tt.args...)
		require.Zero(t, status, stderr)
		require.Empty(t, stderr)
		file := filepath.Join("testdata", tt.file+".golden")
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), got, "%s: after a change that is meant run go test -update", tt.file)
		_, again, _ := ask("", append(tt.args, "--workers", "3")...)
		assert.Equal(t, got, again, "the same input gives the same bytes")
	}
}
