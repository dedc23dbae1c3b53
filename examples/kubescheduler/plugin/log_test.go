package plugin_test

import (
	"context"
	"testing"

	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
)

// klogFor returns a context whose logger writes to the test.
func klogFor(t *testing.T) (klog.Logger, context.Context) {
	logger := ktesting.NewLogger(t, ktesting.NewConfig(ktesting.Verbosity(0)))
	return logger, klog.NewContext(t.Context(), logger)
}
