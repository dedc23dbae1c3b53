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

// Case is a recorded question and its cluster.
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
	// PreemptorGroup is the group that mode group asks about. Its pods are the pending pods that name the
	// group.
	PreemptorGroup outrank.Key `json:"preemptorGroup"`
	Options        Options     `json:"options"`

	Storage

	// Release is the release whose rules hold. It comes from the command line, with the gates in
	// Options.Gates added.
	Release outrank.Release `json:"-"`
}

// UnmarshalJSON reads a case without the values that no API server accepts.
func (c *Case) UnmarshalJSON(line []byte) error {
	line, err := admitted(line)
	if err != nil {
		return err
	}

	type plain Case // without this method, which would call itself
	return json.Unmarshal(line, (*plain)(c))
}

// Storage has the objects behind the claims of pods, and the nodes' limits of attached volumes.
type Storage struct {
	Volumes  []object `json:"persistentVolumes"`
	Classes  []object `json:"storageClasses"`
	Claims   []object `json:"persistentVolumeClaims"`
	CSINodes []object `json:"csiNodes"`
}

// object is any Kubernetes object. Its kind may be missing.
type object map[string]any

// resolve fills in the fields of pods and nodes that depend on Storage. It reads the objects as a user's
// objects are read, as one list.
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

// items returns all objects of the storage, each with its kind.
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

// Options are inputs of single modes.
type Options struct {
	// InsufficientResources and OtherReasons are for mode kubelet. They are the failures of admission that
	// were recorded.
	InsufficientResources []FailureReason `json:"insufficientResources"`
	OtherReasons          []OtherReason   `json:"otherReasons"`
	// KillErrors are for mode kubelet: the pods that cannot be killed.
	KillErrors []string `json:"killErrors"`
	// Quantities are for mode quantity: the texts to parse.
	Quantities []string `json:"quantities"`
	// Selector and LabelSets are for mode selector: each label set is matched with the selector.
	Selector  *outrank.LabelSelector `json:"selector"`
	LabelSets []map[string]string    `json:"labelSets"`
	// Sample is for mode scheduler. It asks for a second decision, over a sample of the nodes.
	Sample *Sample `json:"sample"`
	// Gates are the feature gates that were on in addition to the defaults.
	Gates []string `json:"gates"`
}

// setGates enables the feature gates that the case names.
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

// Sample says which part of the nodes the scheduler tries, as in preemption.Sample and
// preemption.Request.Offset.
type Sample struct {
	Percent int `json:"percent"`
	Minimum int `json:"minimum"`
	Offset  int `json:"offset"`
}

// OtherReason is a predicate that failed at admission, with its text.
type OtherReason struct {
	Name string `json:"name"`
	Desc string `json:"desc"`
}

// latest returns the latest time in the case: a start or a deletion of a pod.
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

// Decision is the answer to a case. Besides the texts, only the field of its mode is set.
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
