package v136

import (
	_ "k8s.io/kubernetes/pkg/scheduler"
)
