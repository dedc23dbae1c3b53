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
	// templates are the objects that make pods, and scalers are the autoscalers.
	templates []*input.Template
	scalers   []*input.Scaler
	// objects has the objects of other kinds that play a part. others counts, by kind, the objects that play
	// none.
	objects *loaded
	others  map[string]int
	// rest has the text of the objects that neither make nor scale pods. It is read into objects at the end.
	rest []json.RawMessage
}

// readManifests reads the files of --filename. Manifests in which nothing plays a part are an error. An object
// makes as many pods as its autoscaler's minimum, or, with --at-maximum, its maximum.
func (o *options) readManifests(stdin io.Reader) (*manifests, error) {
	files, err := input.Expand(o.manifests(), o.recursive)
	if err != nil {
		return nil, fmt.Errorf("--filename: %w", err)
	}

	m := &manifests{}
	// Each object is filed by its kind. Those that neither make nor scale pods are read together at the end.
	for _, file := range files {
		if err := eachObject("--filename", file, stdin, m.sort); err != nil {
			return nil, err
		}
	}

	if m.objects, m.others, err = clusterOf(o.manifestName(), m.rest); err != nil {
		return nil, err
	}

	if len(m.templates)+m.objects.counting() == 0 {
		return nil, fmt.Errorf("%s holds no pod and nothing that makes pods%s", o.manifestName(),
			suggest("; only ", kindsOf(m.others)))
	}

	// An autoscaler determines how many pods an object makes: its maximum if that is asked for, else at least
	// its minimum.
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

// sort files an object by its kind. An object without a kind, and a Status, which an API server returns in
// place of an object, are read as pods, so that the library says what is wrong with them.
func (m *manifests) sort(object input.Object) error {
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
	m.rest = append(m.rest, object.Raw)
	return nil
}

// counting returns the number of objects that play a part and do not make pods.
func (l *loaded) counting() int {
	return len(l.Nodes) + len(l.Budgets) + len(l.Classes) + len(l.Namespaces) + len(l.Groups) + len(l.Composites) + len(l.Claims) + len(l.quotas)
}

// scale raises the replicas of each object to the maximum of its autoscaler.
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

// mayScale warns of objects whose autoscaler may make more pods than the question is about.
func (m *manifests) mayScale() (out []Warning) {
	for _, s := range m.scalers {
		if t := m.scaled(s); t != nil && t.Replicas < s.Most {
			out = append(out, Warning{t.String(), "", fmt.Sprintf("its autoscaler may make up to %s; --at-maximum asks about as many", console.Plural(s.Most, "pod"))})
		}
	}
	return out
}

// scaled returns the object that an autoscaler scales. It is nil if the manifests do not hold the object.
func (m *manifests) scaled(s *input.Scaler) *input.Template {
	at := slices.IndexFunc(m.templates, func(t *input.Template) bool {
		return t.Kind == s.Kind && t.Name == s.Name && t.Namespace == s.Namespace
	})
	if at < 0 {
		return nil
	}
	return m.templates[at]
}

// alone reports whether exactly one object makes pods and no other object plays a part.
func (m *manifests) alone() bool {
	return len(m.templates) == 1 && m.objects.counting() == 0
}

// one reports whether the manifests make a single pod.
func (m *manifests) one() bool {
	return len(m.templates) == 1 && m.templates[0].Kind != "DaemonSet" && m.templates[0].Replicas == 1
}

// named keeps the objects that --name chooses. The others count as left out.
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

// clusterOf reads objects as a cluster. It counts by kind the objects that a cluster has no use for.
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

// manifests returns the files of --filename.
func (o *options) manifests() []string { return o.valuesOf(changeFile) }

// manifestName returns the name of the manifests for messages.
func (o *options) manifestName() string { return "--filename " + strings.Join(o.manifests(), ",") }

// A line of text lists at most mostKinds kinds, and cuts a name after longestKind bytes. No kind of Kubernetes
// has a longer name.
const (
	mostKinds    = 20
	longestKind  = 63
	longKindMark = "…"
)

// kindsOf lists kinds with their numbers of objects, sorted by name. If there are too many, it lists the kinds
// with the most objects, and then the number of the others.
func kindsOf(kinds map[string]int) []string {
	names := slices.SortedFunc(maps.Keys(kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(kinds[b], kinds[a]), cmp.Compare(a, b))
	})
	listed := names[:min(len(names), mostKinds)]
	slices.Sort(listed)

	var out []string
	for _, kind := range listed {
		n := kinds[kind]
		// A kind comes from outside and may be of any length. The cut may fall into a character of several
		// bytes.
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

// eachObject calls f for the objects of a file of manifests. flag names the file in errors.
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

	// A text that fills one byte more than the bound is too long.
	text, err := io.ReadAll(io.LimitReader(in, mostManifest+1))
	switch {
	case err != nil:
		return fmt.Errorf("%s %s: %w", flag, file, err)
	case len(text) > mostManifest:
		return fmt.Errorf("%s %s: longer than %d MB; is this a manifest?", flag, file, mostManifest>>20)
	}

	err = input.Each(bytes.NewReader(text), f)
	if errors.Is(err, input.ErrSyntax) {
		// If the file is no JSON either, the error of the library is more precise.
		if _, _, inWords := kube.ReadManifest(bytes.NewReader(text)); inWords != nil {
			return console.Unusable(flag+" "+file, inWords)
		}
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", flag, file, err)
	}
	return nil
}

// chosen returns the object of the manifests that makes pods: the only one, or the one that --name names.
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

// askTemplate makes the pod of a template. copies says that the pod stands for several.
func askTemplate(opts *options, t *input.Template, c *outrank.Cluster, copies bool) (*asking, error) {
	pod, warnings, err := kube.ReadManifest(bytes.NewReader(t.Pod))
	if err != nil {
		return nil, console.Unusable(opts.manifestName(), err)
	}

	// The namespace of the command line must not contradict the one in the manifest.
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
		// The controller names the pod, and its claims after it.
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

// unusedName returns a name for the pod of a template that no pod of the dump has: the name of the template, or
// that name with the first free number. The pod of a StatefulSet always has a number.
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

// ownClaims names the claims that are made for the pod after the pod itself. If such a claim of a StatefulSet
// exists already, it is used, as the controller does. Copies of the pod have different claims each, so that no
// existing claim is used for them.
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
