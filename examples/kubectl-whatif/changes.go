package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/question"
)

// apply makes the changes in their order. asked is the object of the manifests that the question is about;
// apply does not add it.
func (s *scene) apply(sc *question.Scenario, asked *input.Template, stdin io.Reader) error {
	for _, f := range s.opts.changes {
		var err error
		switch f.flag {
		case changeFile:
			err = s.bring(sc, f, asked)
		case changeWithout:
			err = s.removeNodes(sc, f)
		case changeAddNode:
			err = s.addNodes(sc, f, stdin)
		case changeClass, changeClasses:
			err = s.putClasses(sc, f, stdin)
		case changeBudget:
			err = s.putBudgets(sc, f)
		case changeDelete:
			err = s.deletePods(sc, f, stdin)
		case changeResize:
			err = s.resizePods(sc, f)
		case changeAgain:
			err = sc.Apply(&question.Recreate{Of: f.String()})
		}
		if err != nil {
			return changeTrouble(f, err)
		}
	}
	return nil
}

// changeTrouble puts the error of a change into the words of this program.
func changeTrouble(f *flagged, err error) error {
	if errors.Is(err, question.ErrContradiction) {
		_, text, _ := strings.Cut(err.Error(), ": ")
		return errors.New(text)
	}

	if console.ListsProblems(err) {
		return console.Unusable(f.String(), err)
	}
	return err
}

// removeNodes removes the nodes that the values name, or that have the label LABEL=VALUE.
func (s *scene) removeNodes(sc *question.Scenario, f *flagged) error {
	var names []string
	for _, value := range f.values {
		key, wanted, byLabel := strings.Cut(value, "=")
		if !byLabel {
			// A node of the dump that another change removed is left to the scenario, which says so.
			err := nodeKnown(sc.Snapshot(), changeWithout, value)
			if err != nil && !slices.ContainsFunc(s.cluster.Nodes, func(n *outrank.Node) bool { return n.Name == value }) {
				return err
			}
			names = append(names, value)
			continue
		}

		before := len(names)
		for n := range sc.Snapshot().Nodes() {
			if got, has := n.Labels[key]; has && got == wanted {
				names = append(names, n.Name)
			}
		}
		if len(names) == before {
			return fmt.Errorf("--without %s: no node of the dump has this label", value)
		}
	}
	return sc.Apply(&question.RemoveNodes{Of: f.String(), Names: names})
}

// bring adds the objects of the manifests, except asked, which the question is about.
func (s *scene) bring(sc *question.Scenario, f *flagged, asked *input.Template) error {
	if err := sc.Apply(&question.AddObjects{Of: f.String(), Objects: s.manifests.objects.Cluster, Quotas: s.manifests.objects.quotas}); err != nil {
		return err
	}

	for _, t := range s.manifests.templates {
		if t == asked {
			continue
		}

		// The scenario finds names that are free.
		q, err := askTemplate(s.opts, t, sc.Cluster(), t.Replicas != 1)
		if err != nil {
			return err
		}

		s.doubts = append(s.doubts, q.warnings...)
		if err := sc.Apply(&question.AddPods{Of: f.String(), Workload: *workloadOf(t, q.pod)}); err != nil {
			return err
		}
	}
	return nil
}

// addNodes adds nodes like one of the cluster, or the nodes of a file.
func (s *scene) addNodes(sc *question.Scenario, f *flagged, stdin io.Reader) error {
	for _, value := range f.values {
		name, n, err := times(value)
		if err != nil {
			return fmt.Errorf("--add-node %s: %w", value, err)
		}

		of := "--add-node " + value
		if like, ok := sc.Snapshot().Node(name); ok {
			// The scenario finds names that are free.
			if err := sc.Apply(&question.AddNodes{Of: of, Nodes: sc.NodesLike(like, n)}); err != nil {
				return err
			}
			continue
		}

		// The name of a node takes precedence over that of a file. If the value is neither, the message offers
		// nodes.
		if _, err := input.Stat(name); err != nil && name != input.Stdin {
			return fmt.Errorf("%w; a file is the other way: --add-node node.yaml=3", nodeKnown(sc.Snapshot(), changeAddNode, name))
		}

		nodes, err := s.readNodes(name, stdin)
		if err != nil {
			return err
		}

		// A single node keeps its name; several are numbered by the scenario.
		for i, node := range nodes {
			add := []*outrank.Node{node}
			if n > 1 {
				add = sc.NodesLike(node, n)
			}
			if err := sc.Apply(&question.AddNodes{Of: of, Nodes: add}); err != nil {
				return fmt.Errorf("node %d of %s: %w", i+1, name, err)
			}
		}
	}
	return nil
}

// readNodes reads the nodes of a file. A file without nodes is an error.
func (s *scene) readNodes(file string, stdin io.Reader) ([]*outrank.Node, error) {
	c, err := s.opts.readObjects("--add-node", []string{file}, stdin)
	if err == nil && len(c.Nodes) == 0 {
		err = fmt.Errorf("--add-node %s holds no Node", file)
	}
	if err != nil {
		return nil, err
	}
	return c.Nodes, nil
}

// putClasses adds or changes priority classes, which come from files or from the values themselves.
func (s *scene) putClasses(sc *question.Scenario, f *flagged, stdin io.Reader) error {
	classes, err := s.classesOf(sc, f, stdin)
	if err != nil {
		return err
	}
	if err := sc.Apply(&question.PutClasses{Of: f.String(), Classes: classes}); err != nil {
		if console.ListsProblems(err) {
			return console.Unusable("the change of priority classes", err)
		}
		return err
	}
	return nil
}

// classesOf returns the classes of a change. Each replaces the class of the same name.
func (s *scene) classesOf(sc *question.Scenario, f *flagged, stdin io.Reader) ([]*outrank.PriorityClass, error) {
	if f.flag == changeClasses {
		c, err := s.opts.readObjects("--priorityclass", f.values, stdin)
		if err != nil {
			return nil, err
		}
		if len(c.Classes) == 0 {
			return nil, fmt.Errorf("--priorityclass %s holds no PriorityClass", f.values[0])
		}
		return c.Classes, nil
	}

	var classes []*outrank.PriorityClass
	for _, value := range f.values {
		set, err := classOf(value)
		if err != nil {
			return nil, err
		}

		// Only the value changes. The preemption policy and the other fields stay.
		class := &outrank.PriorityClass{Name: set.name}
		for _, c := range sc.Cluster().Classes {
			if c.Name == set.name {
				*class = *c
			}
		}
		class.Value = set.value

		if !s.classKnown(set.name) {
			s.caveats = append(s.caveats, s.newClass(set.name))
		}
		classes = append(classes, class)
	}
	return classes, nil
}

// putBudgets sets how many pods budgets allow to go. A budget that the cluster does not have is an error.
func (s *scene) putBudgets(sc *question.Scenario, f *flagged) error {
	for _, value := range f.values {
		key, allowed, err := budgetOf(value, s.opts.pod.namespace)
		if err != nil {
			return err
		}

		known := slices.Collect(sc.Snapshot().Budgets())
		if !slices.ContainsFunc(known, func(b *outrank.PodDisruptionBudget) bool { return b.Key() == key }) {
			var names []string
			for _, b := range known {
				names = append(names, string(b.Key()))
			}
			near := nearNames(names, string(key))
			return fmt.Errorf("--set-budget %s: there is no such budget in the dump%s", value, suggest("; near it: ", near[:min(len(near), mostNear)]))
		}

		if err := sc.Apply(&question.PutBudget{Of: "--set-budget " + value, Key: key, Allowed: allowed}); err != nil {
			return err
		}
	}
	return nil
}

// deletePods deletes the pods that the values name, or that files list.
func (s *scene) deletePods(sc *question.Scenario, f *flagged, stdin io.Reader) error {
	var keys []outrank.Key
	for _, value := range f.values {
		names := []string{value}
		if file, ok := strings.CutPrefix(value, "@"); ok {
			var err error
			if names, err = readNames(file, stdin); err != nil {
				return fmt.Errorf("--delete %s: %w", value, err)
			}
		}

		for _, name := range names {
			namespace, rest, ok := strings.Cut(name, "/")
			if !ok {
				namespace, rest = s.opts.pod.namespace, name
			}

			// The scenario reports a pod of the dump that an earlier change removed.
			key := outrank.NewKey(namespace, rest)
			if _, there := sc.Snapshot().Pod(key); !there && s.cluster.Pod(namespace, rest) == nil {
				return fmt.Errorf("--delete %s: %w", name, unknownPod(s.cluster, key))
			}
			keys = append(keys, key)
		}
	}
	return sc.Apply(&question.DeletePods{Of: f.String(), Keys: keys})
}

// resizePods makes the resizes that a flag lists.
func (s *scene) resizePods(sc *question.Scenario, f *flagged) error {
	for _, value := range f.values {
		r, err := resizeFrom(value, s.opts.pod.namespace)
		if err != nil {
			return err
		}

		if _, there := sc.Snapshot().Pod(r.Pod); !there {
			namespace, name, _ := strings.Cut(string(r.Pod), "/")
			if s.cluster.Pod(namespace, name) == nil {
				return fmt.Errorf("--resize %s: %w", value, unknownPod(s.cluster, r.Pod))
			}
		}

		if err := sc.Apply(r); err != nil {
			return err
		}
	}
	return nil
}

// mostNames is the most pods that a file of --delete may list.
const mostNames = 1 << 20

// readNames reads a list of pods, one in each line. "-" is standard input. Empty lines and lines
// that begin with # are passed over.
func readNames(file string, stdin io.Reader) ([]string, error) {
	r, _, done, err := input.Open(file, stdin)
	if err != nil {
		return nil, err
	}
	defer done()

	var out []string
	for lines := bufio.NewScanner(r); ; {
		if !lines.Scan() {
			return out, lines.Err()
		}

		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.ContainsAny(line, " \t") {
			return nil, fmt.Errorf("%q is no pod: each line has one NAMESPACE/NAME", line)
		}
		// A list without end would fill the memory.
		if out = append(out, line); len(out) > mostNames {
			return nil, fmt.Errorf("more than %d lines", mostNames)
		}
	}
}

// readObjects reads the objects of files as one cluster.
func (o *options) readObjects(flag string, names []string, stdin io.Reader) (*loaded, error) {
	files, err := input.Expand(names, o.recursive)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}

	var raw []json.RawMessage
	for _, file := range files {
		if err := eachObject(flag, file, stdin, func(o input.Object) error {
			raw = append(raw, o.Raw)
			return nil
		}); err != nil {
			return nil, err
		}
	}

	c, _, err := clusterOf(flag+" "+strings.Join(names, ","), raw)
	return c, err
}
