package main

import (
	"html"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// taken is a cluster of two nodes with two devices each, all of them held by pods of priority 1, one
// a claim, and a pod of priority 10 that waits with a claim.
func taken(request object) []object {
	return []object{node("n1"), node("n2"), class("gpus"), slice("n1", 2), slice("n2", 2),
		claim("a", exactly("gpus", 1), holds("n1", "0", "a")), pod("a", "n1", 1, "a"), claim("b", exactly("gpus", 1), holds("n1", "1", "b")), pod("b", "n1", 2, "b"),
		claim("c", exactly("gpus", 1), holds("n2", "0", "c")), pod("c", "n2", 3, "c"), claim("d", exactly("gpus", 1), holds("n2", "1", "d")), pod("d", "n2", 4, "d"),
		claim("mine", request), pod("mine", "", 10, "mine"),
	}
}

// with has more objects.
func with(objects []object, more ...object) string { return list(append(objects, more...)...) }

// deleted is an object that is being deleted.
func deleted(o, _ object) { o["metadata"].(object)["deletionTimestamp"] = "2026-01-01T00:00:00Z" }

// without leaves out the objects of a kind.
func without(objects []object, kind string) (out []object) {
	for _, o := range objects {
		if o["kind"] != kind {
			out = append(out, o)
		}
	}
	return out
}

// Both ways about small clusters. Each sentence is tried.
func TestBothWays(t *testing.T) {
	admin := func(r object) { r["adminAccess"] = true }
	shared := append(taken(exactly("gpus", 1))[:4], claim("s", exactly("gpus", 2), holds("n1", "0 1", "s1", "s2")), pod("s1", "n1", 1, "s"), pod("s2", "n1", 20, "s"),
		claim("mine", exactly("gpus", 2)), pod("mine", "", 10, "mine"))
	together := append(taken(nil)[:4], claim("s", exactly("gpus", 2), holds("n1", "0 1", "s1", "s2")), pod("s1", "n1", 1, "s"), pod("s2", "n1", 2, "s"), claim("mine", exactly("gpus", 1)), pod("mine", "", 10, "mine"))
	leaving := append(taken(nil)[:4], claim("s", exactly("gpus", 2), holds("n1", "0 1", "s1"), deleted), pod("s1", "n1", 1, "s"), claim("mine", exactly("gpus", 1)), pod("mine", "", 10, "mine"))
	nominated := pod("other", "", 20, "others")
	nominated["status"] = object{"nominatedNodeName": "n1"}
	template := object{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": object{"name": "gpus", "namespace": "default"},
		"spec": object{"spec": object{"devices": object{"requests": []object{exactly("gpus", 1)}}}}}
	byTemplate := pod("mine", "", 10)
	spec(byTemplate)["resourceClaims"] = []object{{"name": "gpu", "resourceClaimTemplateName": "gpus"}}
	extended := pod("mine", "", 10)
	spec(extended)["containers"] = []object{{"name": "main", "resources": object{"requests": object{"cpu": "1", "example.com/gpu": "2"}, "limits": object{"example.com/gpu": "2"}}}}
	backed := class("gpus", func(s object) { s["extendedResourceName"] = "example.com/gpu" })
	everywhere := func(s object) { delete(s, "nodeName"); s["allNodes"] = true }
	for _, tt := range []struct {
		name     string
		dump     string
		args     string
		release  string // the beginning
		proposed string
		victims  string // with the proposal
		gets     string // the devices
		also     string // in the text
	}{
		{"devices on several nodes are all held", list(taken(exactly("gpus", 1))...), "",
			"v1.37: nobody leaves, and the pod stays pending: claim default/mine is in the way on 2 of 2 nodes, and no release preempts for devices.",
			"With DRAPreemption: 1 pod has to leave node n1.", "default/a", "gpu/n1/0", "node n2 has 2 devices for the claims of pod default/mine, 0 untouched"},
		{"two of a node", list(taken(exactly("gpus", 2))...), "", "v1.37: nobody leaves", "With DRAPreemption: 2 pods have to leave node n1.", "default/b default/a", "gpu/n1/0 gpu/n1/1", ""},
		{"all of a node", list(taken(exactly("gpus", 0))...), "", "v1.37: nobody leaves", "With DRAPreemption: 2 pods have to leave node n1.", "default/b default/a", "gpu/n1/0 gpu/n1/1", "wants all of class gpus"},
		{"more than any node has", list(taken(exactly("gpus", 3))...), "", "v1.37: nobody leaves",
			"With DRAPreemption: nobody leaves, and the pod stays pending: claim default/mine is in the way on 2 of 2 nodes, and so with all pods gone that may leave.", "", "",
			"with all of these that come free given back, the claims cannot be allocated"},
		{"free devices", with(taken(exactly("gpus", 1)), node("n3"), slice("n3", 1)), "", "v1.37: nobody has to leave; 1 node takes the pod as things are.", "With DRAPreemption: nobody has to leave; 1 node takes the pod", "", "", ""},
		{"a claim that is shared with a pod that may not leave", list(shared...), "", "v1.37: nobody leaves", "With DRAPreemption: nobody leaves, and the pod stays pending", "", "",
			"claim default/s holds gpu/n1/0, gpu/n1/1 and does not come free: pod default/s2, which it is reserved for, may not leave: its priority is 20"},
		{"a claim that is shared by pods that may leave", list(together...), "", "v1.37: nobody leaves", "With DRAPreemption: 2 pods have to leave node n1.", "default/s2 default/s1", "gpu/n1/0",
			"claim default/s holds gpu/n1/0, gpu/n1/1 and comes free once default/s1 and default/s2 is gone"},
		{"a claim that is held and being deleted", list(leaving...), "", "v1.37: nobody leaves", "With DRAPreemption: 1 pod has to leave node n1.", "default/s1", "gpu/n1/0", ""},
		{"a pod with claims that is nominated", with(taken(exactly("gpus", 1)), nominated, claim("others", exactly("gpus", 1))), "", "v1.37: nobody leaves", "With DRAPreemption: 1 pod has to leave node n1.", "default/a", "gpu/n1/0",
			"which devices they are to get stands in no dump, so that none are kept for them, and with DRAPreemption they might have to wait for claims on their way: default/other to n1"},
		{"a claim that is being deleted", with(taken(exactly("gpus", 1))[:13], claim("mine", exactly("gpus", 1), deleted), pod("mine", "", 10, "mine")), "",
			`v1.37: nobody leaves, and the pod stays pending, whatever the nodes: resourceclaim "mine" is being deleted.`,
			`With DRAPreemption: nobody leaves, and the pod stays pending, whatever the nodes: resourceclaim "mine" is being deleted.`, "", "", ""},
		{"a class that is missing", list(taken(exactly("other", 1))...), "", "v1.37: nobody leaves, and the pod stays pending, whatever the nodes: request r: device class other does not exist.",
			"With DRAPreemption: nobody leaves, and the pod stays pending, whatever the nodes: request r: device class other does not exist.", "", "", ""},
		{"no driver", list(node("n1"), class("gpus"), claim("mine", exactly("gpus", 1)), pod("mine", "", 10, "mine")), "", "v1.37: nobody leaves, and the pod stays pending: claim default/mine is in the way on 1 of 1 node",
			"With DRAPreemption: nobody leaves", "", "", "the dump holds no resourceslices, so that no node has a device: no driver publishes any, and it may not be running; if the cluster has some, add them to kubectl get"},
		{"admin access takes nothing from anybody", list(taken(exactly("gpus", 1, admin))...), "", "v1.37: nobody has to leave; 2 nodes take the pod", "With DRAPreemption: nobody has to leave; 2 nodes take the pod", "", "", "with admin access"},
		{"the first alternative that is to be had", list(taken(object{"name": "r", "firstAvailable": []object{
			{"name": "big", "deviceClassName": "gpus", "allocationMode": "ExactCount", "count": 3}, {"name": "small", "deviceClassName": "gpus", "allocationMode": "ExactCount", "count": 1}}})...), "",
			"v1.37: nobody leaves", "With DRAPreemption: 1 pod has to leave node n1.", "default/a", "gpu/n1/0", "wants 3 of class gpus, else 1 of class gpus"},
		{"extended, by name", with(append(without(taken(nil)[:13], "DeviceClass"), backed), extended), "",
			"v1.37: nobody leaves, and the pod stays pending: the devices behind its extended resources are in the way on 2 of 2 nodes", "With DRAPreemption: 2 pods have to leave node n1.", "default/b default/a", "gpu/n1/0 gpu/n1/1", "extended resource example.com/gpu: 2"},
		{"a claim that was not made yet", with(taken(nil)[:13], template, byTemplate), "", "v1.37: nobody leaves", "With DRAPreemption: 1 pod has to leave node n1.", "default/a", "gpu/n1/0",
			"its claim default/mine-gpu was not made yet, and until it is kube-scheduler does not look at the pod"},
		{"a template that is missing", with(taken(nil)[:13], byTemplate), "", "v1.37: nobody leaves, and the pod stays pending, whatever the nodes: pod \"default/mine\": ResourceClaim not created yet.",
			"With DRAPreemption: nobody leaves, and the pod stays pending, whatever the nodes", "", "", "its claim gpu is made from resourceclaimtemplate default/gpus, which is not in the dump; add resourceclaimtemplates to kubectl get"},
		{"a claim that is missing", with(taken(nil)[:13], pod("mine", "", 10, "mine")), "", `v1.37: nobody leaves, and the pod stays pending, whatever the nodes: could not find ResourceClaim "default/mine".`, "With DRAPreemption: nobody leaves", "", "", "default/mine: is not in the dump"},
		{"devices of all nodes, which the KEP leaves out", with([]object{node("n1"), class("gpus"), slice("n1", 1, everywhere), claim("a", exactly("gpus", 1), holds("n1", "0", "a")), pod("a", "n1", 1, "a"), claim("mine", exactly("gpus", 1)), pod("mine", "", 10, "mine")}), "",
			"v1.37: nobody leaves", "With DRAPreemption: nobody leaves", "", "", "it has devices that are not of one node by nodeName, which KEP-5690 leaves out"},
		{"an allocation of the pod's own elsewhere", with([]object{node("n1"), class("gpus"), slice("n1", 1), slice("gone", 1), claim("mine", exactly("gpus", 1), holds("gone", "0")), pod("mine", "", 10, "mine")}), "",
			"v1.37: nobody leaves, and the pod stays pending: claim default/mine is in the way on 1 of 1 node", "With DRAPreemption: nobody leaves", "", "",
			"plugin DynamicResources gives up the allocation of claim default/mine, which cannot be used on a node and which nobody else has"},
		{"a pod that is held by a pod that the dump lacks", with(append(taken(exactly("gpus", 1))[:5], claim("a", exactly("gpus", 2), holds("n1", "0 1", "gone")), claim("b", exactly("gpus", 2), holds("n2", "0 1", "b")), pod("b", "n2", 1, "b"), claim("mine", exactly("gpus", 1)), pod("mine", "", 10, "mine"))), "",
			"v1.37: nobody leaves", "With DRAPreemption: 1 pod has to leave node n2.", "default/b", "gpu/n2/0", "the dump reserves claims for pods that it does not hold, so that these claims do not come free: default/a for gone"},
		{"preemption for cpu where devices are free", with([]object{node("n1"), class("gpus"), slice("n1", 1), heavy(pod("low", "n1", 1), "8"), claim("mine", exactly("gpus", 1)), pod("mine", "", 10, "mine")}), "",
			"v1.37: 1 pod has to leave node n1.", "With DRAPreemption: 1 pod has to leave node n1.", "default/low", "gpu/n1/0", ""},
		{"a pod without claims", with(taken(nil)[:13], pod("mine", "", 10)), "", "v1.37: nobody has to leave; 2 nodes take the pod", "With DRAPreemption: nobody has to leave; 2 nodes take the pod", "", "", "pod default/mine: claims no devices, and both ways decide alike; kubectl whatif says more about it"},
		{"what holds the devices is what the pod wants to be with", with([]object{node("n1"), class("gpus"), slice("n1", 1), claim("a", exactly("gpus", 1), holds("n1", "0", "a")), labelled(pod("a", "n1", 1, "a")), claim("mine", exactly("gpus", 1)), near(pod("mine", "", 10, "mine"))}), "",
			"v1.37: nobody leaves, and the pod stays pending: claim default/mine is in the way on 1 of 1 node", "With DRAPreemption: nobody leaves, and the pod stays pending: claim default/mine is in the way on 1 of 1 node, and with all pods gone that may leave that or something else is.", "", "",
			"node(s) didn't match pod affinity rules"},
		{"cpu that nobody has", with(taken(exactly("gpus", 1))[:14], heavy(pod("mine", "", 10, "mine"), "9")), "", "v1.37: nobody leaves, and the pod stays pending: other reasons turn every node down before its devices are looked at.",
			"With DRAPreemption: nobody leaves, and the pod stays pending: other reasons", "", "", "Insufficient cpu"},
		{"a class that cannot be evaluated on a device that is held", with(append(taken(nil)[:6], pod("a", "n1", 1, "a"), class("broken", func(s object) {
			s["selectors"] = []object{{"cel": object{"expression": `device.attributes["x"].y > 1`}}}
		}),
			claim("b", exactly("gpus", 2), holds("n2", "0 1", "b")), pod("b", "n2", 20, "b"), claim("c", exactly("gpus", 1), holds("n1", "1", "c")), pod("c", "n1", 20, "c")), claim("mine", exactly("broken", 1)), pod("mine", "", 10, "mine")), "",
			"v1.37: nobody leaves, and the pod stays pending: claim default/mine is in the way on 2 of 2 nodes", "With DRAPreemption: nobody leaves, and the pod stays pending: claim default/mine is in the way on 2 of 2 nodes, and so with all pods gone that may leave.", "", "",
			"class broken: selector #0 on device gpu/n1/0: CEL runtime error: no such key: y"},
		{"as v1.36", list(taken(exactly("gpus", 1))...), "--release v1.36", "v1.36: nobody leaves", "With DRAPreemption: 1 pod has to leave node n1.", "default/a", "gpu/n1/0", "of Kubernetes v1.36 (--release)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"--pending", "mine"}, strings.Fields(tt.args)...)
			doc := answered(t, tt.dump, args...)
			assert.True(t, strings.HasPrefix(doc.Answer.Release.Says, tt.release), doc.Answer.Release.Says)
			assert.True(t, strings.HasPrefix(doc.Answer.Proposed.Says, tt.proposed), doc.Answer.Proposed.Says)
			var victims, gets []string
			for _, v := range doc.Answer.Proposed.Victims {
				victims = append(victims, string(v.Key))
			}
			for _, g := range doc.Answer.Proposed.Devices {
				gets = append(gets, g.Devices...)
			}
			assert.Equal(t, tt.victims, strings.Join(victims, " "))
			assert.Equal(t, tt.gets, strings.Join(gets, " "))
			status, text, _ := ask(tt.dump, append(args, "--cluster", "-")...)
			require.Zero(t, status)
			assert.Contains(t, flat(text), tt.also)
			assertTrue(t, tt.dump, args, doc)
			for _, form := range []string{"html", "yaml", "wide"} {
				status, out, stderr := ask(tt.dump, append(args, "--cluster", "-", "-o", form)...)
				assert.Zero(t, status, stderr)
				for _, w := range []toldWay{doc.Answer.Release, doc.Answer.Proposed} {
					assert.Contains(t, flat(html.UnescapeString(strings.ReplaceAll(out, "''", "'"))), w.Says, form)
				}
			}
			exact := answered(t, tt.dump, append(args, "--exact")...).Answer
			for _, w := range []toldWay{exact.Release, exact.Proposed} {
				require.NotNil(t, w.Exact)
				if w.Outcome == "preempt" {
					assert.Equal(t, "preempt", string(w.Exact.Best), w.Says)
					assert.LessOrEqual(t, len(w.Exact.Victims), len(w.Victims), "all victims are of one kind here")
					assert.Contains(t, w.Exact.Sure, "optimal")
				}
			}
		})
	}
}

// labelled is a pod that others want to be with, and near one that wants to.
func labelled(o object) object {
	o["metadata"].(object)["labels"] = object{"app": "a"}
	return o
}

func near(o object) object {
	spec(o)["affinity"] = object{"podAffinity": object{"requiredDuringSchedulingIgnoredDuringExecution": []object{{"topologyKey": "kubernetes.io/hostname", "labelSelector": object{"matchLabels": object{"app": "a"}}}}}}
	return o
}

// heavy is a pod that asks for so much cpu.
func heavy(o object, cpu string) object {
	spec(o)["containers"] = []object{{"name": "main", "resources": object{"requests": object{"cpu": cpu}}}}
	return o
}

func flat(text string) string { return strings.Join(strings.Fields(text), " ") }
