package differential

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/preemption"
)

const (
	contraryName  = "Contrary"
	contraryText  = "the filter says no"
	neverText     = "the filter says never"
	brokenText    = "the filter is broken"
	preemptorName = "DefaultPreemption"
)

// says returns the filter's answer about a node with these pods.
func (c *Contrary) says(node string, dry bool, pods []string) string {
	m := c.Says[node]
	if !dry {
		return m.Now
	}
	if m.Then != byWhatIsHere {
		return m.Then
	}

	// The same pods give the same answer, in whatever order they come.
	h := fnv.New32a()
	for _, key := range slices.Sorted(slices.Values(pods)) {
		_, _ = h.Write([]byte(node + key + " "))
	}
	if h.Sum32()%2 == 0 {
		return no
	}
	return ""
}

// contraryPlugin is the filter in a scheduler.
type contraryPlugin struct{ *Contrary }

// contraryDry is the filter's state in an attempt. Dry is set when a pod is removed, which happens in dry runs
// alone.
type contraryDry struct{ dry bool }

func (d *contraryDry) Clone() fwk.StateData { c := *d; return &c }

func (contraryPlugin) Name() string { return contraryName }

func (contraryPlugin) PreFilter(_ context.Context, state fwk.CycleState, _ *corev1.Pod, _ []fwk.NodeInfo) (*fwk.PreFilterResult, *fwk.Status) {
	state.Write(contraryName, &contraryDry{})
	return nil, nil
}

func (p contraryPlugin) PreFilterExtensions() fwk.PreFilterExtensions { return p }

func (contraryPlugin) AddPod(context.Context, fwk.CycleState, *corev1.Pod, fwk.PodInfo, fwk.NodeInfo) *fwk.Status {
	return nil
}

func (contraryPlugin) RemovePod(_ context.Context, state fwk.CycleState, _ *corev1.Pod, _ fwk.PodInfo, _ fwk.NodeInfo) *fwk.Status {
	state.Write(contraryName, &contraryDry{true})
	return nil
}

func (p contraryPlugin) Filter(_ context.Context, state fwk.CycleState, _ *corev1.Pod, on fwk.NodeInfo) *fwk.Status {
	data, err := state.Read(contraryName)
	if err != nil {
		return fwk.AsStatus(err)
	}
	var pods []string
	for _, info := range on.GetPods() {
		pods = append(pods, podKey(info.GetPod()))
	}
	switch p.says(on.Node().Name, data.(*contraryDry).dry, pods) {
	case no:
		return fwk.NewStatus(fwk.Unschedulable, contraryText)
	case never:
		return fwk.NewStatus(fwk.UnschedulableAndUnresolvable, neverText)
	case breaks:
		return fwk.AsStatus(errors.New(brokenText))
	}
	return nil
}

// contraryFilter is the filter in outrank.
func contraryFilter(c *Contrary) *preemption.Filter {
	start := func(_ *outrank.Pod, view preemption.View) (preemption.FilterState, error) {
		s := &contraryState{Contrary: c, pods: map[string]map[string]bool{}, dry: map[string]bool{}}
		for n := range view.Nodes() {
			s.pods[n.Name] = map[string]bool{}
			for _, p := range view.PodsOn(n.Name) {
				if !p.Finished() {
					s.pods[n.Name][string(p.Key())] = true
				}
			}
		}
		return s, nil
	}
	return &preemption.Filter{Name: contraryName, Start: start}
}

type contraryState struct {
	*Contrary
	pods map[string]map[string]bool // by node
	dry  map[string]bool
}

func (s *contraryState) Check(n *outrank.Node) preemption.Status {
	switch s.says(n.Name, s.dry[n.Name], slices.Collect(maps.Keys(s.pods[n.Name]))) {
	case no:
		return preemption.Unschedulable.Because(contraryText)
	case never:
		return preemption.UnschedulableAndUnresolvable.Because(neverText)
	case breaks: // as the reference wraps it
		return preemption.Contradiction.Because(fmt.Sprintf("running %q filter plugin: %s", contraryName, brokenText))
	}
	return preemption.Status{}
}

func (s *contraryState) Remove(p *outrank.Pod, n *outrank.Node) {
	s.dry[n.Name] = true
	delete(s.pods[n.Name], string(p.Key()))
}

func (s *contraryState) Add(p *outrank.Pod, n *outrank.Node) { s.pods[n.Name][string(p.Key())] = true }

func (s *contraryState) Clone() preemption.FilterState {
	c := &contraryState{Contrary: s.Contrary, pods: map[string]map[string]bool{}, dry: maps.Clone(s.dry)}
	for node, pods := range s.pods {
		c.pods[node] = maps.Clone(pods)
	}
	return c
}

// otherPlugin is the other way out in a scheduler.
type otherPlugin struct{ Other }

func (otherPlugin) Name() string { return otherName }

func (p otherPlugin) PostFilter(context.Context, fwk.CycleState, *corev1.Pod, fwk.NodeToStatusReader) (*fwk.PostFilterResult, *fwk.Status) {
	nominate := func(node string) *fwk.PostFilterResult {
		return &fwk.PostFilterResult{NominatingInfo: &fwk.NominatingInfo{NominatedNodeName: node, NominatingMode: fwk.ModeOverride}}
	}
	switch p.Does {
	case clears:
		return nominate(""), fwk.NewStatus(fwk.Unschedulable, otherText)
	case helps:
		return nominate(p.Node), fwk.NewStatus(fwk.Success, otherHelp)
	case fails:
		return nil, fwk.AsStatus(errors.New(otherFail))
	}
	return nil, fwk.NewStatus(fwk.Unschedulable, otherText)
}

// registry returns the plugins that are not the scheduler's own.
func (a *Around) registry() frameworkruntime.Registry {
	plugged := func(p fwk.Plugin) frameworkruntime.PluginFactory {
		return func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return p, nil }
	}
	r := frameworkruntime.Registry{contraryName: plugged(contraryPlugin{a.Contrary}), otherName: plugged(otherPlugin{a.Other})}
	if a.Foreign != nil {
		r[foreignName] = plugged((&foreignPlugin{Foreign: a.Foreign, asked: map[string]int{}}).at())
	}
	return r
}

// file returns the configuration file of the case's scheduler. If instead is not empty, that plugin takes the
// place of DefaultPreemption.
func (c *Case) file(instead string) ([]byte, error) {
	type object = map[string]any
	var profiles []any
	for _, name := range c.Profiles() {
		profile := object{"schedulerName": name}
		p := &Plugins{}
		if c.Preemptor.Spec.SchedulerName == name {
			p = &c.Around.Plugins
		}
		profile["plugins"] = p.fields(c.Around.filters(), instead)
		profiles = append(profiles, profile)
	}
	return json.Marshal(object{"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": profiles})
}

// filters returns the names of the filters that are not the scheduler's own.
func (a *Around) filters() (names []string) {
	if a.Contrary != nil {
		names = append(names, contraryName)
	}
	if a.Foreign != nil {
		names = append(names, foreignName)
	}
	return names
}

// fields returns the plugins as a profile of the file has them. The filters are added, and instead, if it is not
// empty, takes the place of DefaultPreemption.
func (p *Plugins) fields(filters []string, instead string) map[string]any {
	// Without a setting of its own DefaultPreemption is on, so that it has to be switched off. The plugin in its
	// place comes first.
	multi := PluginSet{slices.Concat(p.MultiPoint.Enabled, filters), slices.Clone(p.MultiPoint.Disabled)}
	if instead != "" && !slices.Contains(multi.Disabled, preemptorName) {
		multi.Enabled = slices.Insert(multi.Enabled, 0, instead)
		multi.Disabled = append(multi.Disabled, preemptorName)
	}

	list := func(names []string) []any {
		out := []any{}
		for _, name := range names {
			out = append(out, map[string]any{"name": name})
		}
		return out
	}
	replaced := func(names []string) []string {
		names = slices.Clone(names)
		for i := range names {
			if names[i] == preemptorName && instead != "" {
				names[i] = instead
			}
		}
		return names
	}

	post := PluginSet{replaced(p.PostFilter.Enabled), replaced(p.PostFilter.Disabled)}
	return map[string]any{
		"multiPoint": map[string]any{"enabled": list(multi.Enabled), "disabled": list(multi.Disabled)},
		"postFilter": map[string]any{"enabled": list(post.Enabled), "disabled": list(post.Disabled)},
	}
}

// profilesOf returns the profiles of a case's scheduler. If instead is not empty, that plugin takes the place of
// DefaultPreemption.
func profilesOf(c *Case, instead string) ([]config.KubeSchedulerProfile, error) {
	text, err := c.file(instead)
	if err != nil {
		return nil, err
	}
	read, _, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	configuration, ok := read.(*config.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("the file is a %T", read)
	}
	return configuration.Profiles, nil
}
