package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/console"
	"github.com/outrank-go/outrank/examples/kubectl-whatif/internal/input"
	"github.com/outrank-go/outrank/preemption/kube"
)

// mostManifest bounds a file of manifests, which is held in memory as a whole.
const mostManifest = 64 << 20

// manifests are the objects of the files of --filename.
type manifests struct {
	// templates make pods; objects are those of other kinds that count, and others are the
	// numbers of the rest by kind.
	templates []*input.Template
	objects   *loaded
	others    map[string]int
	scalers   []*input.Scaler
}

// readManifests reads the files of --filename.
func (o *options) readManifests(stdin io.Reader) (*manifests, error) {
	files, err := input.Expand(o.manifests(), o.recursive)
	if err != nil {
		return nil, fmt.Errorf("--filename: %w", err)
	}
	m := &manifests{}
	var rest []json.RawMessage
	for _, file := range files {
		err := eachObject("--filename", file, stdin, func(object input.Object) error {
			switch {
			case object.MakesPods() || object.Kind == "" || object.Kind == "Status":
				t, err := input.TemplateOf(object)
				m.templates = append(m.templates, t)
				return err
			case object.ScalesPods():
				s, err := input.ScalerOf(object)
				m.scalers = append(m.scalers, s)
				return err
			}
			rest = append(rest, object.Raw)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if m.objects, m.others, err = clusterOf(o.manifestName(), rest); err != nil {
		return nil, err
	}
	c := m.objects
	if len(m.templates)+len(c.Nodes)+len(c.Budgets)+len(c.Classes)+len(c.Namespaces)+len(c.Groups)+len(c.Composites)+len(c.Claims)+len(c.quotas) == 0 {
		return nil, fmt.Errorf("%s holds no pod and nothing that makes pods%s", o.manifestName(),
			suggest("; only ", kindsOf(m.others)))
	}
	if o.about.atMaximum {
		return m, m.scale(o)
	}
	for _, s := range m.scalers {
		if t := m.scaled(s); t != nil {
			t.Replicas = max(t.Replicas, s.Least)
		}
	}
	return m, nil
}

// scale makes as many pods of each object as its autoscaler may.
func (m *manifests) scale(o *options) error {
	for _, s := range m.scalers {
		if t := m.scaled(s); t != nil {
			t.Replicas = s.Most
		}
	}
	if len(m.scalers) == 0 {
		return fmt.Errorf("--at-maximum: %s holds no HorizontalPodAutoscaler", o.manifestName())
	}
	return nil
}

// mayScale is about workloads of which there may be more.
func (m *manifests) mayScale() (out []Warning) {
	for _, s := range m.scalers {
		if t := m.scaled(s); t != nil && t.Replicas < s.Most {
			out = append(out, Warning{t.String(), "", fmt.Sprintf("its autoscaler may make up to %s; --at-maximum asks about as many", console.Plural(s.Most, "pod"))})
		}
	}
	return out
}

// scaled is the object that an autoscaler scales; nil where the manifests do not hold it.
func (m *manifests) scaled(s *input.Scaler) *input.Template {
	at := slices.IndexFunc(m.templates, func(t *input.Template) bool {
		return t.Kind == s.Kind && t.Name == s.Name && t.Namespace == s.Namespace
	})
	if at < 0 {
		return nil
	}
	return m.templates[at]
}

// alone reports whether there is one object that makes pods, and nothing else that counts.
func (m *manifests) alone() bool {
	c := m.objects
	return len(m.templates) == 1 && len(c.Nodes)+len(c.Budgets)+len(c.Classes)+len(c.Namespaces)+len(c.Groups)+len(c.Composites)+len(c.Claims)+len(c.quotas) == 0
}

// one reports whether the manifests make a single pod.
func (m *manifests) one() bool {
	return len(m.templates) == 1 && m.templates[0].Kind != "DaemonSet" && m.templates[0].Replicas == 1
}

// named leaves the objects that --name chooses.
func (m *manifests) named(o *options) error {
	var names []string
	var found []*input.Template
	for _, t := range m.templates {
		names = append(names, t.String())
		if t.Name == o.pod.name {
			found = append(found, t)
		} else {
			m.others[t.Kind]++
		}
	}
	if len(found) == 0 {
		return fmt.Errorf("%s holds nothing named %s that makes pods; it has %s", o.manifestName(), o.pod.name, some(names, 10, len(names)))
	}
	m.templates = found
	return nil
}

// clusterOf reads objects as a cluster, and counts those that it has no use for.
func clusterOf(source string, raw []json.RawMessage) (*loaded, map[string]int, error) {
	others := map[string]int{}
	if len(raw) == 0 {
		return &loaded{Cluster: &outrank.Cluster{}}, others, nil
	}
	text, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": raw})
	if err != nil {
		return nil, nil, err
	}
	c, err := readAll(bytes.NewReader(text))
	if err != nil {
		return nil, nil, console.Unusable(source, err)
	}
	maps.Copy(others, c.Skipped)
	return c, others, nil
}

// manifests are the files of --filename.
func (o *options) manifests() []string { return o.valuesOf(changeFile) }

// manifestName is the name of the manifests in messages.
func (o *options) manifestName() string { return "--filename " + strings.Join(o.manifests(), ",") }

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
		out = append(out, fmt.Sprintf("%s of %s", console.Plural(objects, "object"), console.Plural(others, "other kind")))
	}
	return out
}

// eachObject calls f for the objects of a file of manifests.
func eachObject(flag, file string, stdin io.Reader, f func(input.Object) error) error {
	r, _, done, err := input.Open(file, stdin)
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	defer done()
	in, err := input.JSON(r)
	if err != nil {
		return fmt.Errorf("%s %s: %w", flag, file, err)
	}
	text, err := io.ReadAll(io.LimitReader(in, mostManifest+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s %s: %w", flag, file, err)
	case len(text) > mostManifest:
		return fmt.Errorf("%s %s: longer than %d MB; is this a manifest?", flag, file, mostManifest>>20)
	}
	err = input.Each(bytes.NewReader(text), f)
	if errors.Is(err, input.ErrSyntax) {
		// The library knows more ways in which a text is no JSON.
		if _, _, inWords := kube.ReadManifest(bytes.NewReader(text)); inWords != nil {
			return console.Unusable(flag+" "+file, inWords)
		}
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", flag, file, err)
	}
	return nil
}

// chosen is the template that --name names, or the only one.
func (o *options) chosen(all []*input.Template) (*input.Template, error) {
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds no pod and nothing that makes pods", o.manifestName())
	}
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

// askTemplate makes the pod of a template; copies is set for one of many.
func askTemplate(opts *options, t *input.Template, c *outrank.Cluster, copies bool) (*asking, error) {
	pod, warnings, err := kube.ReadManifest(bytes.NewReader(t.Pod))
	if err != nil {
		return nil, console.Unusable(opts.manifestName(), err)
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
	q := &asking{pod: pod, from: fromManifest, warnings: warnings, limited: t.Limited()}
	if t.Kind != "Pod" {
		q.template = t
		pod.Name = unusedName(c, pod, t)
		ownClaims(c, pod, t, copies)
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
