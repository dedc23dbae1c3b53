package main

import (
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/brief"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/quotas"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/trace"
	"github.com/outrank-go/outrank/preemption"
	"github.com/outrank-go/outrank/preemption/explain"
	"github.com/outrank-go/outrank/resource"
)

// Document is the output of -o json. Fields keep their names and meanings, new
// ones may be added; anything else changes APIVersion. Lists are never null, and hold
// everything but what LeftOut counts.
type Document struct {
	// APIVersion is whatif/v1. Decision has a version of its own.
	APIVersion string `json:"apiVersion"`
	// Version is that of the program, left out where its build does not say which it is.
	Version string `json:"version,omitempty"`
	// Cluster describes the cluster in question.
	Cluster Dump `json:"cluster"`
	// Now is the time that ages end at and a missing start counts as. It is
	// left out where neither the dump nor -now names a time.
	Now time.Time `json:"now,omitzero"`
	// Pod is the preemptor, the pod that is asked about.
	Pod Asked `json:"pod"`
	// Resize is set where the pod is on its node already, and the question is who
	// leaves for its resize in place.
	Resize *Resize `json:"resize,omitempty"`
	// Changes are made before the question is asked, in this order, and Before is what they set
	// in motion before the pod's turn.
	Changes []string            `json:"changes,omitempty"`
	Before  *question.Aftermath `json:"before,omitempty"`
	// Forbidden are pods of the changes that quotas keep from being created.
	Forbidden []quotas.Forbidden `json:"forbidden,omitempty"`
	// Resizes are those of the changes, where the answer does not have them.
	Resizes []question.Resized `json:"resizes,omitempty"`
	// Decision is the explanation in the library's JSON; PLAN_JSON.md of
	// package preemption describes it. Of its candidates, and of the nodes that give the
	// same answer, it has the first 20, or as many as --list says, which may be 0 for all.
	Decision *preemption.Plan `json:"decision"`
	// NoEffect says why the chosen node does not take the pod even once the victims are gone; it is
	// left out where the node does. A scheduler's dry run takes some things for free that are not.
	NoEffect *question.Reason `json:"noEffect,omitempty"`
	// Goes is where the pod goes that fits as things are; left out for any other.
	Goes *question.Goes `json:"goes,omitempty"`
	// LeftOut counts the others, and is left out where there are none.
	LeftOut *brief.LeftOut `json:"leftOut,omitempty"`
	// Why gives the reasons of the decision; REPORT_JSON.md of package explain
	// describes it. Its lists are cut at ten names.
	Why *explain.Report `json:"why"`
	// Victims has the manifests' facts about the decision's victims, in its order.
	Victims []VictimFacts `json:"victims"`
	// Replacements are the fates of the victims; set with --replacements alone,
	// and where there are victims.
	Replacements *question.Victims `json:"replacements,omitempty"`
	// Exact compares the decision with the best one; set with --exact alone.
	Exact *Exact `json:"exact,omitempty"`
	// Trace is the decision step by step; set with --trace alone.
	Trace *trace.Trace `json:"trace,omitempty"`
	// Room has an entry for the number of pods and for everything that the pod
	// asks for; it is empty unless the outcome is preempt.
	Room []Room `json:"room"`
	// Hints say what might help where nothing does.
	Hints []string `json:"hints"`
	// Caveats are reasons why the answer may not come true: gaps in the dump,
	// and peculiarities of the pod.
	Caveats []Warning `json:"caveats"`
	// Warnings are about the dump, and about gaps in a manifest.
	Warnings []Warning `json:"warnings"`
}

// VictimFacts has the facts about a pod that a decision lacks.
type VictimFacts struct {
	// Key is namespace/name.
	Key      string        `json:"key"`
	Requests resource.List `json:"requests"`
	// Owner is Kind/Name of the pod's controller.
	Owner string `json:"owner,omitempty"`
}

// Dump is a cluster in figures.
type Dump struct {
	// Source is the file, "standard input" or "the sample cluster".
	Source string `json:"source"`
	Nodes  int    `json:"nodes"`
	// Pods counts those that run or wait; Pending those that wait.
	Pods    int `json:"pods"`
	Pending int `json:"pending"`
	Budgets int `json:"budgets"`
	Classes int `json:"classes"`
	// Release has the rules that the answer follows, and ReleaseFrom its source.
	Release     outrank.Release `json:"release"`
	ReleaseFrom ReleaseSource   `json:"releaseFrom"`
	// Skipped counts objects of kinds that play no part, Finished pods that
	// have ended.
	Skipped  map[string]int `json:"skipped"`
	Finished int            `json:"finished"`
}

// Asked is the pod in question.
type Asked struct {
	// Key is namespace/name.
	Key string `json:"key"`
	// From is dump, manifest or flags.
	From string `json:"from"`
	// Template is Kind/Name of the object that would make the pod, in a manifest of
	// something else than a pod, and Replicas the number that it would make; a DaemonSet's
	// depend on the nodes.
	Template string        `json:"template,omitempty"`
	Replicas *int          `json:"replicas,omitempty"`
	Requests resource.List `json:"requests"`

	Priority int32 `json:"priority"`
	// PriorityClass is empty where the priority does not come from a class.
	PriorityClass string `json:"priorityClass,omitempty"`
	// PrioritySource is the source of the priority.
	PrioritySource PrioritySource `json:"prioritySource"`
	// PreemptionPolicy is PreemptLowerPriority or Never.
	PreemptionPolicy outrank.PreemptionPolicy `json:"preemptionPolicy"`

	// NodeName is a node that the pod insists on, NominatedNode one on which an
	// earlier preemption made room for it.
	NodeName      string            `json:"nodeName,omitempty"`
	NominatedNode string            `json:"nominatedNode,omitempty"`
	NodeSelector  map[string]string `json:"nodeSelector,omitempty"`
}

// Resize is a resize in place that the node has deferred.
type Resize struct {
	Node string `json:"node"`
	// Counted is the node's present account of the pod.
	Counted resource.List `json:"counted"`
}

// PrioritySource is the source of a priority.
type PrioritySource string

// The sources.
const (
	SourceRecorded     PrioritySource = "recorded"      // in the pod, since it was created
	SourceMissing      PrioritySource = "missing"       // the pod has none and counts as 0
	SourceClass        PrioritySource = "class"         // the class that the pod names
	SourceDefaultClass PrioritySource = "default-class" // the cluster's default class
	SourceNoClass      PrioritySource = "no-class"      // 0: no class named, and no default
	SourceNumber       PrioritySource = "number"        // a number, whatever the classes say
)

// Room is the account of one resource of the chosen node.
type Room struct {
	Resource    resource.Name     `json:"resource"`
	Allocatable resource.Quantity `json:"allocatable"`
	// Used is the present amount of the pods on the node, Freed the victims'
	// part of it, Needed the preemptor's demand.
	Used   resource.Quantity `json:"used"`
	Freed  resource.Quantity `json:"freed"`
	Needed resource.Quantity `json:"needed"`
	// Reserved is kept free for pods of at least the preemptor's priority that
	// are nominated to the node.
	Reserved resource.Quantity `json:"reserved"`
	// After is Used less Freed plus Needed.
	After resource.Quantity `json:"after"`
}

// Warning is something odd about the dump or the pod.
type Warning struct {
	Object string `json:"object"`
	Field  string `json:"field,omitempty"`
	Text   string `json:"text"`
}

// String returns "object: field: text".
func (w Warning) String() string { return outrank.Problem(w).String() }

// ReleaseSource is the source of a release.
type ReleaseSource string

// The sources.
const (
	ReleaseFlag    ReleaseSource = "flag"    // --release
	ReleaseNodes   ReleaseSource = "nodes"   // the kubelets' versions
	ReleaseDefault ReleaseSource = "default" // no node says one
	ReleaseNearest ReleaseSource = "nearest" // the nodes' release is not known
)
