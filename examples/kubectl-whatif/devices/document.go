package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	resourcev1 "k8s.io/api/resource/v1"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/internal/stamp"
)

// Document is the output of -o json and yaml. Fields keep their names and meanings, new ones may be
// added. Lists are never null.
type Document struct {
	// APIVersion is whatif-devices/v1.
	APIVersion string `json:"apiVersion"`
	Version    string `json:"version,omitempty"`
	// Question is pod, whyNot or pending.
	Question string    `json:"question"`
	Cluster  summary   `json:"cluster"`
	Now      time.Time `json:"now,omitzero"`
	// Pod is the pod in question, or nil if the question is about all waiting pods. Why is the node of whyNot.
	Pod *podAsked `json:"pod,omitempty"`
	Why string    `json:"node,omitempty"`
	// Both is the answer about one pod. Turns is the answer about all waiting pods.
	Both  *both  `json:"answer,omitempty"`
	Turns []pair `json:"turns,omitempty"`
	// Caveats are reasons why the answer may not come true. Warnings are about the dump.
	Caveats  []caveat `json:"caveats"`
	Warnings []caveat `json:"warnings"`
}

// summary is a cluster in figures.
type summary struct {
	Source      string          `json:"source"`
	Nodes       int             `json:"nodes"`
	Pods        int             `json:"pods"`
	Pending     int             `json:"pending"`
	Drivers     int             `json:"drivers"`
	Devices     int             `json:"devices"`
	Claims      int             `json:"claims"`
	Allocated   int             `json:"allocated"`
	Release     outrank.Release `json:"release"`
	ReleaseFrom string          `json:"releaseFrom"`
}

// podAsked is the pod in question.
type podAsked struct {
	Key  outrank.Key `json:"key"`
	From string      `json:"from"`
	// Template is Kind/Name of the object that would make the pod, or empty. Replicas is the number of pods
	// that it would make. It is left out for a DaemonSet, whose number depends on the nodes.
	Template      string  `json:"template,omitempty"`
	Replicas      int     `json:"replicas,omitempty"`
	Priority      int32   `json:"priority"`
	PriorityClass string  `json:"priorityClass,omitempty"`
	Claims        []asked `json:"claims"`
}

// asked is a claim of the pod in question: its devices, or what it asks for in words.
type asked struct {
	Name    string   `json:"name"`
	Wants   string   `json:"wants,omitempty"`
	Devices []string `json:"devices"`
}

// summary counts what the dump holds.
func (d *dump) summary(from string) summary {
	out := summary{Source: d.source, Nodes: len(d.cluster.Nodes), Pods: len(d.cluster.Pods), Claims: len(d.objects.Claims), Release: d.cluster.Release.OrDefault(), ReleaseFrom: from}
	for _, p := range d.cluster.Pods {
		if p.NodeName == "" {
			out.Pending++
		}
	}

	drivers, names := map[string]bool{}, map[string]bool{}
	for _, s := range d.objects.Slices {
		drivers[s.Spec.Driver] = true
		for i := range s.Spec.Devices {
			// A pool may be spread over several slices and exist in several generations, so that each device
			// name counts once.
			names[s.Spec.Driver+"/"+s.Spec.Pool.Name+"/"+s.Spec.Devices[i].Name] = true
		}
	}
	out.Drivers, out.Devices = len(drivers), len(names)

	for _, c := range d.objects.Claims {
		if c.Status.Allocation != nil {
			out.Allocated++
		}
	}
	return out
}

// asked describes the pod in question. Its claims come first, then, by name, the extended resources that device
// classes back.
func (d *dump) asked(s *subject) *podAsked {
	out := &podAsked{Key: s.pod.Key(), From: s.from, Priority: s.pod.PriorityValue(), PriorityClass: s.pod.PriorityClassName, Claims: []asked{}}
	if s.maker != nil && s.maker.Kind != "Pod" {
		out.Template, out.Replicas = s.maker.String(), s.maker.Replicas
	}

	p := d.podOf(s.pod.Key())
	if p == nil {
		return out
	}

	for _, key := range claimsOf(p) {
		a := asked{Name: string(key), Wants: "is not in the dump", Devices: []string{}}
		if c := d.claim(key); c != nil {
			a.Wants = wants(c)
			if given := c.Status.Allocation; given != nil {
				for i := range given.Devices.Results {
					a.Devices = append(a.Devices, deviceName(&given.Devices.Results[i]))
				}
			}
		}
		out.Claims = append(out.Claims, a)
	}

	for name, q := range s.pod.Requests() {
		if !d.backed(string(name)) {
			continue
		}
		out.Claims = append(out.Claims, asked{Name: "extended resource " + string(name), Wants: q.String(), Devices: []string{}})
	}
	slices.SortFunc(out.Claims[len(claimsOf(p)):], func(a, b asked) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// backed reports whether a device class backs a resource.
func (d *dump) backed(name string) bool {
	return strings.HasPrefix(name, resourcev1.ResourceDeviceClassPrefix) || slices.ContainsFunc(d.objects.Classes, func(c *resourcev1.DeviceClass) bool {
		return c.Spec.ExtendedResourceName != nil && *c.Spec.ExtendedResourceName == name
	})
}

// wants says in words what a claim asks for.
func wants(c *resourcev1.ResourceClaim) string {
	amount := func(mode resourcev1.DeviceAllocationMode, n int64, class string) string {
		if mode == resourcev1.DeviceAllocationModeAll {
			return "all of class " + class
		}
		return fmt.Sprintf("%d of class %s", max(n, 1), class)
	}

	var parts []string
	for i := range c.Spec.Devices.Requests {
		r := &c.Spec.Devices.Requests[i]
		if e := r.Exactly; e != nil {
			text := amount(e.AllocationMode, e.Count, e.DeviceClassName)
			if e.AdminAccess != nil && *e.AdminAccess {
				text += " with admin access"
			}
			parts = append(parts, text)
		}

		var alternatives []string
		for j := range r.FirstAvailable {
			alternatives = append(alternatives, amount(r.FirstAvailable[j].AllocationMode, r.FirstAvailable[j].Count, r.FirstAvailable[j].DeviceClassName))
		}
		if len(alternatives) > 0 {
			parts = append(parts, strings.Join(alternatives, ", else "))
		}
	}

	if len(parts) == 0 {
		return "asks for nothing"
	}
	return "wants " + some(parts, mostNear)
}

// newDocument makes a document that lacks only the answer.
func newDocument(d *dump, question, from string, now time.Time) *Document {
	return &Document{APIVersion: "whatif-devices/v1", Version: stamp.Here().Known(), Question: question, Cluster: d.summary(from), Now: now, Caveats: d.caveats(), Warnings: warnings(d.cluster.Warnings())}
}

// warnings returns the problems of a dump in the form of the document.
func warnings(problems []outrank.Problem) []caveat {
	out := []caveat{}
	for _, p := range problems {
		text := p.Text
		if p.Field != "" {
			text = p.Field + ": " + text
		}
		out = append(out, caveat{p.Object, text})
	}
	return out
}
