package main

import (
	"bytes"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/component-base/metrics/legacyregistry"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
	"sigs.k8s.io/yaml"

	"github.com/outrank-go/outrank/examples/clientgo/metrics"
	"github.com/outrank-go/outrank/examples/kubescheduler/plugin"
	schedulerconfig "github.com/outrank-go/outrank/preemption/scheduler/config"
)

// newCommand returns kube-scheduler's command with the plugin.
func newCommand() *cobra.Command {
	var command *cobra.Command
	command = app.NewSchedulerCommand(withOutrank(func() string { return command.Flags().Lookup("config").Value.String() }))
	return command
}

// withOutrank registers the plugin. File returns the path of the configuration file; it is called when a profile
// is made, after the flags have been read.
func withOutrank(file func() string) app.Option {
	collector, taken := metrics.New(), false
	return app.WithPlugin(plugin.Name, func(ctx context.Context, args apiruntime.Object, handle fwk.Handle) (fwk.Plugin, error) {
		read, err := readConfiguration(file())
		if err != nil {
			return nil, err
		}
		if !taken { // kube-scheduler has registered its metrics by now, and they can be replaced
			if err := plugin.TakeOver(legacyregistry.Registerer(), collector); err != nil {
				return nil, err
			}
			taken = true
		}
		return plugin.Factory(plugin.Options{Metrics: collector, Configuration: read})(ctx, args, handle)
	})
}

// readConfiguration reads the scheduler's configuration file. It has the arguments of the filters, which a plugin's
// handle does not have. Kube-scheduler has accepted the file by then. Without a file the result is nil.
func readConfiguration(file string) (*schedulerconfig.Configuration, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if text, err = yaml.YAMLToJSON(text); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	c, err := schedulerconfig.Read(plugin.Reference, bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c, nil
}
