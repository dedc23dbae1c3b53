package controlplane

import (
	"encoding/json"
	"os"
)

// object is a JSON object.
type object = map[string]any

// schedulerConfiguration is the scheduler's configuration. Without a plugin it says
// nothing but how to reach the API server, so that all of deciding is as
// kube-scheduler has it by default. A plugin takes the place of DefaultPreemption.
func schedulerConfiguration(kubeconfig, plugin string) object {
	profile := object{"schedulerName": "default-scheduler"}
	if plugin != "" {
		profile["plugins"] = object{
			"multiPoint": object{"enabled": []object{{"name": plugin}}, "disabled": []object{{"name": "DefaultPreemption"}}},
		}
	}
	return object{
		"apiVersion":       "kubescheduler.config.k8s.io/v1",
		"kind":             "KubeSchedulerConfiguration",
		"clientConnection": object{"kubeconfig": kubeconfig, "qps": 500, "burst": 1000},
		"leaderElection":   object{"leaderElect": false},
		"profiles":         []object{profile},
	}
}

func writeSchedulerConfiguration(file, kubeconfig, plugin string) error {
	text, err := json.MarshalIndent(schedulerConfiguration(kubeconfig, plugin), "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(file, append(text, '\n'), 0o600)
}
