package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// mostValues is the most entries of a list in a question.
const mostValues = 1000

// place says which cluster a question is about, and which changes are made to it first.
type place struct {
	Dump    string   `json:"dump,omitempty" jsonschema:"the cluster as text, JSON or YAML: what kubectl get nodes,pods,pdb,priorityclasses,namespaces,pv,pvc,sc,csinodes,csidrivers,quota -A -o json prints (default: the cluster of the server)"`
	Cluster string   `json:"cluster,omitempty" jsonschema:"the name of a file with such a dump, in the folder that the server was started with"`
	Sample  string   `json:"sample,omitempty" jsonschema:"a small cluster to learn from, by name: affinity, pdb and more; an unknown name is answered with the list"`
	Release string   `json:"release,omitempty" jsonschema:"whose rules hold: v1.36 or v1.37, with feature gates behind it if need be, like v1.37,VolumeLimitScaling=false"`
	Changes []change `json:"changes,omitempty" jsonschema:"changes before anything is asked, made in this order"`
	List    *int     `json:"list,omitempty" jsonschema:"how many candidates and nodes of each answer are listed about a single pod, 0 for all (default 20)"`
}

// change is one change. Exactly one of its fields is set.
type change struct {
	Manifests string `json:"manifests,omitempty" jsonschema:"manifests as text, YAML or JSON: everything that they make is created"`
	Without   string `json:"without,omitempty" jsonschema:"a node that is drained or lost, by name or as LABEL=VALUE"`
	AddNode   string `json:"addNode,omitempty" jsonschema:"a node more like one of the cluster; NODE=N for N of them"`
	SetClass  string `json:"setClass,omitempty" jsonschema:"a priority class as NAME=VALUE"`
	SetBudget string `json:"setBudget,omitempty" jsonschema:"what a disruption budget allows, as NAMESPACE/NAME=NUMBER"`
	Resize    string `json:"resize,omitempty" jsonschema:"other requests of a running pod, as NAMESPACE/NAME=cpu=AMOUNT,memory=AMOUNT"`
	Delete    string `json:"delete,omitempty" jsonschema:"a pod that is deleted, as NAMESPACE/NAME"`
	Recreate  bool   `json:"recreate,omitempty" jsonschema:"controllers recreate all pods, with the priorities that the classes give by then"`
}

// arguments adds the flags that name the cluster, its release and the changes.
func (p place) arguments(q *query) error {
	if err := p.cluster(q); err != nil {
		return err
	}
	q.flag("release", p.Release)
	if p.List != nil {
		q.flag("list", strconv.Itoa(*p.List))
	}

	if len(p.Changes) > mostValues {
		return fmt.Errorf("changes: %d are more than %d", len(p.Changes), mostValues)
	}
	for i, c := range p.Changes {
		if err := c.add(q); err != nil {
			return fmt.Errorf("changes[%d]: %w", i, err)
		}
	}
	return nil
}

// cluster adds the flag that names the cluster: that of the question, or else that of the server. Files are
// opened here and passed to the program as standard input, because it may open no file outside its folder.
func (p place) cluster(q *query) error {
	given := 0
	for _, text := range []string{p.Dump, p.Cluster, p.Sample} {
		if text != "" {
			given++
		}
	}

	switch {
	case given > 1:
		return errors.New("dump, cluster and sample name different clusters; give one of them")
	case p.Dump != "":
		// The program reads the text from standard input, so that it need not be written to disk.
		q.input = io.NopCloser(strings.NewReader(p.Dump))
		q.flag("cluster", "-")
	case p.Cluster != "":
		f, err := q.open(p.Cluster)
		if err != nil {
			return err
		}
		q.input = f
		q.flag("cluster", "-")
	case p.Sample != "":
		q.flag("sample", p.Sample)
	case q.server.cluster != "":
		f, err := os.Open(q.server.cluster)
		if err != nil {
			return errors.New("the dump of the server cannot be read")
		}
		q.input = f
		q.flag("cluster", "-")
	case q.server.live:
		q.args = append(q.args, "--live")
	case q.server.context != "":
		q.flag("context", q.server.context)
	}
	return nil
}

// add adds the flag of a change. It is an error if more than one field is set, or none.
func (c change) add(q *query) error {
	set := 0
	for name, value := range map[string]string{
		"without": c.Without, "add-node": c.AddNode, "set-class": c.SetClass, "set-budget": c.SetBudget, "resize": c.Resize, "delete": c.Delete,
	} {
		if value == "" {
			continue
		}
		// The program would take a value with "@" for the name of a file.
		if name == "delete" && strings.HasPrefix(value, "@") {
			return errors.New("delete names a pod as NAMESPACE/NAME; files are not read here")
		}
		set++
		q.flag(name, value)
	}

	if c.Recreate {
		set++
		q.args = append(q.args, "--recreate")
	}
	if c.Manifests != "" {
		set++
		if err := q.text("filename", c.Manifests); err != nil {
			return err
		}
	}

	if set != 1 {
		return fmt.Errorf("a change has one field, and this one has %d; several changes are several entries", set)
	}
	return nil
}

// subject is the pod in question: a waiting pod, a pod that the manifests among the changes make, or a pod that
// is described.
type subject struct {
	Pending      string            `json:"pending,omitempty" jsonschema:"a pending pod of the cluster, as NAMESPACE/NAME"`
	One          bool              `json:"one,omitempty" jsonschema:"one of the pods that the manifests among the changes make, by itself"`
	CPU          string            `json:"cpu,omitempty" jsonschema:"what a pod that is described asks of cpu, like 500m or 4"`
	Memory       string            `json:"memory,omitempty" jsonschema:"what it asks of memory, like 8Gi"`
	Requests     map[string]string `json:"requests,omitempty" jsonschema:"anything else that it asks for, by resource, like nvidia.com/gpu: 1"`
	Class        string            `json:"class,omitempty" jsonschema:"its priority class (default: that of the cluster)"`
	Priority     *int32            `json:"priority,omitempty" jsonschema:"its priority, whatever the classes say"`
	Namespace    string            `json:"namespace,omitempty" jsonschema:"its namespace, also that of a pending pod that names none"`
	Labels       map[string]string `json:"labels,omitempty" jsonschema:"its labels"`
	NodeSelector map[string]string `json:"nodeSelector,omitempty" jsonschema:"labels that its node must have"`
	Tolerations  []string          `json:"tolerations,omitempty" jsonschema:"taints that it tolerates, as KEY=VALUE:EFFECT"`
	HostPorts    []string          `json:"hostPorts,omitempty" jsonschema:"ports that it takes on its node, as [IP:]PORT[/PROTOCOL]"`
	Claims       []string          `json:"claims,omitempty" jsonschema:"volume claims of its namespace that it uses, by name"`
}

// add adds the flags that name or describe the pod. It visits maps in the order of their keys, so that the same
// question has the same command line.
func (s subject) add(q *query) error {
	for _, list := range []struct {
		name string
		n    int
	}{
		{"requests", len(s.Requests)}, {"labels", len(s.Labels)}, {"nodeSelector", len(s.NodeSelector)},
		{"tolerations", len(s.Tolerations)}, {"hostPorts", len(s.HostPorts)}, {"claims", len(s.Claims)},
	} {
		// The length of a command line is limited.
		if list.n > mostValues {
			return fmt.Errorf("%s: %d are more than %d", list.name, list.n, mostValues)
		}
	}

	if s.Pending == "all" {
		return errors.New("pending names one pod; the tool pending asks about all that wait")
	}

	for _, f := range [][2]string{{"pending", s.Pending}, {"cpu", s.CPU}, {"memory", s.Memory}, {"class", s.Class}, {"namespace", s.Namespace}} {
		q.flag(f[0], f[1])
	}
	if s.One {
		q.args = append(q.args, "--one")
	}
	if s.Priority != nil {
		q.flag("priority", strconv.Itoa(int(*s.Priority)))
	}

	for _, name := range slices.Sorted(maps.Keys(s.Requests)) {
		q.flag("request", name+"="+s.Requests[name])
	}
	q.flag("labels", joined(s.Labels))
	q.flag("node-selector", joined(s.NodeSelector))

	for _, v := range s.Tolerations {
		q.flag("toleration", v)
	}
	for _, v := range s.HostPorts {
		q.flag("host-port", v)
	}
	for _, v := range s.Claims {
		q.flag("claim", v)
	}
	return nil
}

// joined writes labels in the form of a flag.
func joined(labels map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		parts = append(parts, name+"="+labels[name])
	}
	return strings.Join(parts, ",")
}

// all adds the flags of the cluster and the pod, then the flags of the question.
func (q *query) all(p place, s subject, flags ...string) error {
	if err := p.arguments(q); err != nil {
		return err
	}
	if err := s.add(q); err != nil {
		return err
	}
	q.args = append(q.args, flags...)
	return nil
}
