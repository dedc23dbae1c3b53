package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption/kube"
)

// Case is a question with its cluster.
type Case struct {
	ID              string                         `json:"id"`
	Mode            string                         `json:"mode"`
	Profile         string                         `json:"profile"`
	Nodes           []*outrank.Node                `json:"nodes"`
	Pods            []*outrank.Pod                 `json:"pods"`
	PDBs            []*outrank.PodDisruptionBudget `json:"pdbs"`
	Namespaces      []*outrank.Namespace           `json:"namespaces"`
	PriorityClasses []*outrank.PriorityClass       `json:"priorityClasses"`
	Groups          []*outrank.PodGroup            `json:"podGroups"`
	Composites      []*outrank.CompositePodGroup   `json:"compositePodGroups"`
	Preemptor       *outrank.Pod                   `json:"preemptor"`
	// PreemptorGroup is the group that mode group asks about. Its pods are the pending pods that name it.
	PreemptorGroup outrank.Key `json:"preemptorGroup"`
	Options        Options     `json:"options"`

	Storage

	// Release has the rules that hold. The command line gives it, and Options.Gates adds gates to it.
	Release outrank.Release `json:"-"`
}

// UnmarshalJSON reads a case, without the values that no API server lets in.
func (c *Case) UnmarshalJSON(line []byte) error {
	line, err := admitted(line)
	if err != nil {
		return err
	}

	type plain Case // without this method, which would call itself
	return json.Unmarshal(line, (*plain)(c))
}

// Storage has the objects behind claims, and the nodes' limits.
type Storage struct {
	Volumes  []object `json:"persistentVolumes"`
	Classes  []object `json:"storageClasses"`
	Claims   []object `json:"persistentVolumeClaims"`
	CSINodes []object `json:"csiNodes"`
}

// object is any object; its kind may be missing.
type object map[string]any

// resolve fills in the fields of the case's pods and nodes from its Storage. The objects are read in the way
// in which users' objects are read: as one list of a cluster.
func (c *Case) resolve() error {
	items := c.Storage.items()
	if len(items) == 0 {
		return nil
	}
	for _, n := range c.Nodes {
		items = append(items, n)
	}
	list, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		return err
	}
	cluster, err := kube.ReadCluster(bytes.NewReader(list))
	if err != nil {
		return err
	}

	// The nodes come back with the limits of their CSINodes. Pods are resolved in place.
	c.Nodes = cluster.Nodes
	pods := c.Pods
	if c.Preemptor != nil {
		pods = append(slices.Clip(pods), c.Preemptor)
	}
	cluster.ResolveVolumes(pods...)
	return nil
}

// items lists the objects, each with its kind.
func (s *Storage) items() []any {
	var items []any
	for kind, objects := range map[string][]object{
		"PersistentVolume": s.Volumes, "StorageClass": s.Classes, "PersistentVolumeClaim": s.Claims, "CSINode": s.CSINodes,
	} {
		for _, o := range objects {
			o["kind"] = kind
			items = append(items, o)
		}
	}
	return items
}

// Options are further inputs of some modes.
type Options struct {
	// InsufficientResources and OtherReasons are the findings of the admission check, for mode kubelet.
	InsufficientResources []FailureReason `json:"insufficientResources"`
	OtherReasons          []OtherReason   `json:"otherReasons"`
	// KillErrors names the pods whose kill fails, for mode kubelet.
	KillErrors []string `json:"killErrors"`
	// Quantities are for mode quantity.
	Quantities []string `json:"quantities"`
	// Selector and LabelSets are for mode selector.
	Selector  *outrank.LabelSelector `json:"selector"`
	LabelSets []map[string]string    `json:"labelSets"`
	// Sample is for mode scheduler: a sample of the nodes, beside the decision over all nodes.
	Sample *Sample `json:"sample"`
	// Gates names the feature gates that were on beside those that are on by default.
	Gates []string `json:"gates"`
}

// setGates turns on the feature gates that the case names.
func (c *Case) setGates() (err error) {
	gates := map[string]bool{}
	for _, name := range c.Options.Gates {
		gates[name] = true
	}
	if c.Release, err = c.Release.With(gates); err != nil {
		return fmt.Errorf("options.gates: %w", err)
	}
	return nil
}

// Sample is the part of the nodes that a scheduler tries.
type Sample struct {
	Percent int `json:"percent"`
	Minimum int `json:"minimum"`
	Offset  int `json:"offset"`
}

// OtherReason is a failed predicate.
type OtherReason struct {
	Name string `json:"name"`
	Desc string `json:"desc"`
}

// latest returns the latest time that the case names.
func (c *Case) latest() time.Time {
	var t time.Time
	for _, p := range c.Pods {
		if p != nil && p.StartTime.After(t) {
			t = p.StartTime
		}
		if p != nil && p.DeletionTimestamp.After(t) {
			t = p.DeletionTimestamp
		}
	}
	return t
}

// Decision is the answer to a case; one of the pointers and slices is set.
type Decision struct {
	ID         string         `json:"id"`
	Mode       string         `json:"mode"`
	Profile    string         `json:"profile,omitempty"`
	Error      string         `json:"error,omitempty"`
	Scheduler  *Scheduler     `json:"scheduler,omitempty"`
	Kubelet    *Kubelet       `json:"kubelet,omitempty"`
	Group      *Group         `json:"group,omitempty"`
	Facts      []PodFacts     `json:"facts,omitempty"`
	Quantities []QuantityFact `json:"quantities,omitempty"`
	Selector   *SelectorFact  `json:"selector,omitempty"`
	Priorities []PriorityFact `json:"priorities,omitempty"`
}
