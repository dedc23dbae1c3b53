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
	// Version is the program's, left out if its build does not know it.
	Version string `json:"version,omitempty"`
	// Cluster describes the cluster in question.
	Cluster Dump `json:"cluster"`
	// Now is the time from which ages are measured; a missing start time counts as it. It is
	// left out if neither the dump nor --now names a time.
	Now time.Time `json:"now,omitzero"`
	// Pod is the preemptor, the pod that is asked about.
	Pod Asked `json:"pod"`
	// Resize is set if the pod is on its node already, and the question is who
	// leaves for its resize in place.
	Resize *Resize `json:"resize,omitempty"`
	// Changes are made before the question is asked, in this order, and Before is what they set
	// in motion before the pod's turn.
	Changes []string            `json:"changes,omitempty"`
	Before  *question.Aftermath `json:"before,omitempty"`
	// Forbidden lists pods of the changes that quotas keep from being created.
	Forbidden []quotas.Forbidden `json:"forbidden,omitempty"`
	// Resizes tells how the resizes among the changes ended.
	Resizes []question.Resized `json:"resizes,omitempty"`
	// Decision is the explanation in the library's JSON; PLAN_JSON.md of package preemption
	// describes it. It has the first 20 candidates, and the first 20 nodes of each answer, or as
	// many as --list says, where 0 means all.
	Decision *preemption.Plan `json:"decision"`
	// NoEffect says why the chosen node does not take the pod even once the victims are gone; it is
	// left out if the node does. A scheduler's dry run counts some things as free that are not.
	NoEffect *question.Reason `json:"noEffect,omitempty"`
	// Goes says where a pod goes that fits as things are; left out for any other pod.
	Goes *question.Goes `json:"goes,omitempty"`
	// LeftOut counts what Decision leaves out. It is left out itself if that is nothing.
	LeftOut *brief.LeftOut `json:"leftOut,omitempty"`
	// Why gives the reasons of the decision; REPORT_JSON.md of package explain
	// describes it. Its lists are cut at ten names.
	Why *explain.Report `json:"why"`
	// Victims has facts from the victims' manifests that Decision lacks, in the order of its victims.
	Victims []VictimFacts `json:"victims"`
	// Replacements tells what becomes of the victims. It is set only with --replacements, and only if
	// there are victims.
	Replacements *question.Victims `json:"replacements,omitempty"`
	// Exact compares the decision with the best one. It is set only with --exact.
	Exact *Exact `json:"exact,omitempty"`
	// Trace is the decision step by step. It is set only with --trace.
	Trace *trace.Trace `json:"trace,omitempty"`
	// Room has an entry for the number of pods and for everything that the pod
	// asks for; it is empty unless the outcome is preempt.
	Room []Room `json:"room"`
	// Hints say what might help if nothing does.
	Hints []string `json:"hints"`
	// Caveats are reasons why the answer may not come true: gaps in the dump,
	// and peculiarities of the pod.
	Caveats []Warning `json:"caveats"`
	// Warnings are about the dump, and about gaps in a manifest.
	Warnings []Warning `json:"warnings"`
}

// VictimFacts has facts about a victim that a decision lacks.
type VictimFacts struct {
	// Key is namespace/name.
	Key      string        `json:"key"`
	Requests resource.List `json:"requests"`
	// Owner is Kind/Name of the pod's controller.
	Owner string `json:"owner,omitempty"`
}

// Dump is a cluster in figures.
type Dump struct {
	// Source names where the cluster is from: files, "standard input", a sample or a context of kubectl.
	Source string `json:"source"`
	Nodes  int    `json:"nodes"`
	// Pods counts the pods that run or wait, Pending the pods that wait.
	Pods    int `json:"pods"`
	Pending int `json:"pending"`
	Budgets int `json:"budgets"`
	Classes int `json:"classes"`
	// Release is the release whose rules the answer follows. ReleaseFrom says where it is from.
	Release     outrank.Release `json:"release"`
	ReleaseFrom ReleaseSource   `json:"releaseFrom"`
	// Skipped counts objects of kinds that play no part, by kind. Finished counts pods that
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
	// Template is Kind/Name of the object in the manifest that would make the pod; empty if the
	// manifest is of a pod. Replicas is the number of pods that it would make; it is left out for a
	// DaemonSet, whose number depends on the nodes.
	Template string        `json:"template,omitempty"`
	Replicas *int          `json:"replicas,omitempty"`
	Requests resource.List `json:"requests"`

	Priority int32 `json:"priority"`
	// PriorityClass is empty if the priority does not come from a class.
	PriorityClass string `json:"priorityClass,omitempty"`
	// PrioritySource says where the priority is from.
	PrioritySource PrioritySource `json:"prioritySource"`
	// PreemptionPolicy is PreemptLowerPriority or Never.
	PreemptionPolicy outrank.PreemptionPolicy `json:"preemptionPolicy"`

	// NodeName is the node that the pod insists on. NominatedNode is the node on which an
	// earlier preemption made room for it.
	NodeName      string            `json:"nodeName,omitempty"`
	NominatedNode string            `json:"nominatedNode,omitempty"`
	NodeSelector  map[string]string `json:"nodeSelector,omitempty"`
}

// Resize is a resize in place that the node has deferred.
type Resize struct {
	Node string `json:"node"`
	// Counted is what the node counts for the pod at present.
	Counted resource.List `json:"counted"`
}

// PrioritySource says where a priority is from.
type PrioritySource string

// The sources of a priority.
const (
	SourceRecorded     PrioritySource = "recorded"      // in the pod, since it was created
	SourceMissing      PrioritySource = "missing"       // the pod has none and counts as 0
	SourceClass        PrioritySource = "class"         // the class that the pod names
	SourceDefaultClass PrioritySource = "default-class" // the cluster's default class
	SourceNoClass      PrioritySource = "no-class"      // 0: no class named, and no default
	SourceNumber       PrioritySource = "number"        // a number, whatever the classes say
)

// Room says how one resource of the chosen node is used before and after.
type Room struct {
	Resource    resource.Name     `json:"resource"`
	Allocatable resource.Quantity `json:"allocatable"`
	// Used is what the pods on the node take at present, Freed the victims'
	// part of it, and Needed what the preemptor takes.
	Used   resource.Quantity `json:"used"`
	Freed  resource.Quantity `json:"freed"`
	Needed resource.Quantity `json:"needed"`
	// Reserved is what is kept free for pods of at least the preemptor's priority that
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

// ReleaseSource says where a release is from.
type ReleaseSource string

// The sources of a release.
const (
	ReleaseFlag    ReleaseSource = "flag"    // given by --release
	ReleaseNodes   ReleaseSource = "nodes"   // the versions of the nodes' kubelets
	ReleaseDefault ReleaseSource = "default" // no node names a version
	ReleaseNearest ReleaseSource = "nearest" // the nodes' release is not known
)
