package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/preemption/kube"
)

// mostManifest bounds a file of manifests, which is held in memory as a whole.
const mostManifest = 64 << 20

// readTemplates reads the files of --filename: every object that makes pods, and
// the number of others by kind.
func (o *options) readTemplates(stdin io.Reader) (all []*input.Template, others map[string]int, err error) {
	files, err := input.Expand(o.manifests, o.recursive)
	if err != nil {
		return nil, nil, fmt.Errorf("--filename: %w", err)
	}
	others = map[string]int{}
	for _, file := range files {
		err := eachObject(file, stdin, func(object input.Object) error {
			if !object.MakesPods() && object.Kind != "" && object.Kind != "Status" {
				others[object.Kind]++
				return nil
			}
			t, err := input.TemplateOf(object)
			all = append(all, t)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
	}
	if len(all) == 0 {
		return nil, nil, fmt.Errorf("%s holds no pod and nothing that makes pods%s", o.manifestName(),
			suggest("; only ", kindsOf(others)))
	}
	return all, others, nil
}

// manifestName is the name of the manifests in messages.
func (o *options) manifestName() string { return "--filename " + strings.Join(o.manifests, ",") }

// Bounds of a list of kinds in a line of text. Kubernetes has no name of a kind that is longer.
const (
	mostKinds    = 20
	longestKind  = 63
	longKindMark = "…"
)

// kindsOf lists kinds with their numbers, by name. Of many kinds it lists those
// with the most objects, and the number of others.
func kindsOf(kinds map[string]int) []string {
	names := slices.SortedFunc(maps.Keys(kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(kinds[b], kinds[a]), cmp.Compare(a, b))
	})
	listed := names[:min(len(names), mostKinds)]
	slices.Sort(listed)
	var out []string
	for _, kind := range listed {
		n := kinds[kind]
		if len(kind) > longestKind {
			kind = strings.ToValidUTF8(kind[:longestKind], "") + longKindMark
		}
		out = append(out, fmt.Sprintf("%d %s", n, kind))
	}
	if others := len(names) - len(listed); others > 0 {
		objects := 0
		for _, kind := range names[len(listed):] {
			objects += kinds[kind]
		}
		out = append(out, fmt.Sprintf("%s of %s", plural(objects, "object"), plural(others, "other kind")))
	}
	return out
}

// eachObject calls f for the objects of a file of manifests.
func eachObject(file string, stdin io.Reader, f func(input.Object) error) error {
	r, _, done, err := input.Open(file, stdin)
	if err != nil {
		return fmt.Errorf("--filename: %w", err)
	}
	defer done()
	in, err := input.JSON(r)
	if err != nil {
		return fmt.Errorf("--filename %s: %w", file, err)
	}
	text, err := io.ReadAll(io.LimitReader(in, mostManifest+1))
	switch {
	case err != nil:
		return fmt.Errorf("--filename %s: %w", file, err)
	case len(text) > mostManifest:
		return fmt.Errorf("--filename %s: longer than %d MB; is this a manifest?", file, mostManifest>>20)
	}
	err = input.Each(bytes.NewReader(text), f)
	if errors.Is(err, input.ErrSyntax) {
		// The library knows more ways in which a text is no JSON.
		if _, _, inWords := kube.ReadManifest(bytes.NewReader(text)); inWords != nil {
			return unusable("--filename "+file, inWords)
		}
	}
	if err != nil {
		return fmt.Errorf("--filename %s: %w", file, err)
	}
	return nil
}

// askManifest reads a pod that is not in the cluster yet, and gives it the
// priority and the volumes that it would get there.
func askManifest(opts *options, c *outrank.Cluster, stdin io.Reader) (*asking, error) {
	all, others, err := opts.readTemplates(stdin)
	if err != nil {
		return nil, err
	}
	t, err := opts.chosen(all)
	if err != nil {
		return nil, err
	}
	q, err := askTemplate(opts, t, c)
	if err != nil {
		return nil, err
	}
	q.others = others
	return q, nil
}

// chosen is the template that --name names, or the only one.
func (o *options) chosen(all []*input.Template) (*input.Template, error) {
	var names []string
	var found []*input.Template
	for _, t := range all {
		names = append(names, t.String())
		if !o.set["name"] || t.Name == o.pod.name {
			found = append(found, t)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return nil, fmt.Errorf("%s holds nothing named %s that makes pods; it has %s", o.manifestName(), o.pod.name, some(names, 10, len(names)))
	case o.set["name"]:
		return nil, fmt.Errorf("%s holds %d objects named %s that make pods; give the one that is meant in a file of its own",
			o.manifestName(), len(found), o.pod.name)
	}
	return nil, fmt.Errorf("%s holds %d objects that make pods; choose one with --name: %s", o.manifestName(), len(all), some(names, 10, len(names)))
}

// askTemplate makes the pod of a template.
func askTemplate(opts *options, t *input.Template, c *outrank.Cluster) (*asking, error) {
	pod, warnings, err := kube.ReadManifest(bytes.NewReader(t.Pod))
	if err != nil {
		return nil, unusable(opts.manifestName(), err)
	}
	if opts.set["namespace"] {
		if pod.Namespace != "" && pod.Namespace != opts.pod.namespace {
			return nil, fmt.Errorf("%s is of namespace %s, and --namespace says %s; leave it out", t, pod.Namespace, opts.pod.namespace)
		}
		pod.Namespace = opts.pod.namespace
	}
	if pod.Namespace == "" {
		pod.Namespace = opts.pod.namespace
	}
	q := &asking{pod: pod, from: fromManifest, warnings: warnings}
	if t.Kind != "Pod" {
		q.template = t
		pod.Name = unusedName(c, pod, t)
		ownClaims(c, pod, t, opts.asked() == askReplicas)
	}
	if err := namespaceKnown(c, pod); err != nil {
		return nil, err
	}
	if on := runsOn(c, pod); on != "" {
		return nil, fmt.Errorf("pod %s of the manifest already runs on node %s; give it another metadata.name to ask about one more like it, "+
			"or take it out of the dump to ask where it would go", pod.Key(), on)
	}
	c.ResolveVolumes(pod)
	return q, q.resolve(c)
}

// unusedName is a name for the pod of a template that no pod of the dump has: that of
// the template, or with the first number behind it that is free, as a StatefulSet does.
func unusedName(c *outrank.Cluster, pod *outrank.Pod, t *input.Template) string {
	taken := map[string]bool{}
	for _, p := range c.Pods {
		if p.NamespaceName() == pod.NamespaceName() {
			taken[p.Name] = true
		}
	}
	name, n := pod.Name, 2
	if t.Ordinal >= 0 {
		name, n = fmt.Sprintf("%s-%d", pod.Name, t.Ordinal), t.Ordinal+1
	}
	for ; taken[name]; n++ {
		name = fmt.Sprintf("%s-%d", pod.Name, n)
	}
	return name
}

// ownClaims names the claims that are made for the pod after it. An existing
// claim of a StatefulSet is taken, as its controller does, except for copies of
// the pod, each of which has others.
func ownClaims(c *outrank.Cluster, pod *outrank.Pod, t *input.Template, copies bool) {
	for i := range pod.Volumes {
		v := &pod.Volumes[i]
		name, ok := strings.CutPrefix(v.Claim, t.Name+"-")
		switch {
		case !v.Ephemeral || !ok:
		case copies && slices.Contains(t.Claims, name):
			v.Claim = name + "-" + t.Name + "-*"
		case slices.Contains(t.Claims, name):
			v.Claim = name + "-" + pod.Name
			v.Ephemeral = !slices.ContainsFunc(c.Claims, func(vc *outrank.VolumeClaim) bool { return vc.Key() == outrank.NewKey(pod.Namespace, v.Claim) })
		default:
			v.Claim = pod.Name + "-" + name
		}
	}
}
