package controlplane

import (
	"encoding/json"
	"os"
)

// object is a JSON object.
type object = map[string]any

// schedulerConfiguration returns a scheduler's configuration with profiles of the given names. Without a plugin
// it only configures access to the API server, so that kube-scheduler decides with its defaults. A plugin
// replaces DefaultPreemption.
func schedulerConfiguration(kubeconfig, plugin string, elect bool, names ...string) object {
	var profiles []object
	for _, name := range names {
		profile := object{"schedulerName": name}
		if plugin != "" {
			profile["plugins"] = object{
				"multiPoint": object{"enabled": []object{{"name": plugin}}, "disabled": []object{{"name": "DefaultPreemption"}}},
			}
		}
		profiles = append(profiles, profile)
	}
	return object{
		"apiVersion":       "kubescheduler.config.k8s.io/v1",
		"kind":             "KubeSchedulerConfiguration",
		"clientConnection": object{"kubeconfig": kubeconfig, "qps": 500, "burst": 1000},
		"leaderElection":   object{"leaderElect": elect},
		"profiles":         profiles,
	}
}

// configuration returns the configuration of the cluster's scheduler.
func (c *Cluster) configuration(plugin string) object {
	configuration := schedulerConfiguration(c.scheduler, plugin, false, c.profiles()...)
	if c.options.DRAPreemption {
		for _, profile := range configuration["profiles"].([]object) {
			profile["plugins"].(object)["preFilter"] = object{"enabled": []object{{"name": plugin}}}
			profile["pluginConfig"] = []object{{"name": plugin, "args": object{"draPreemption": true}}}
		}
	}
	return configuration
}

func writeSchedulerConfiguration(file string, configuration object) error {
	text, err := json.MarshalIndent(configuration, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o600)
}
