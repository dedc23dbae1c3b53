package differential

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"

	"github.com/outrank-go/outrank/examples/kubescheduler/differential/thirdparty"
)

// preemptorName is the name of kube-scheduler's own plugin for preemption.
const preemptorName = "DefaultPreemption"

// registry returns the plugins that are not the scheduler's own.
func (a *Around) registry() frameworkruntime.Registry {
	plugged := func(p fwk.Plugin) frameworkruntime.PluginFactory {
		return func(context.Context, runtime.Object, fwk.Handle) (fwk.Plugin, error) { return p, nil }
	}
	r := frameworkruntime.Registry{thirdparty.ContraryName: plugged(a.Contrary.Plugin()), thirdparty.OtherName: plugged(a.Other.Plugin())}
	if a.Foreign != nil {
		r[thirdparty.ForeignName] = plugged(a.Foreign.Plugin())
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
		names = append(names, thirdparty.ContraryName)
	}
	if a.Foreign != nil {
		names = append(names, thirdparty.ForeignName)
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
