//go:build !k134 && !k135 && !k136 && !k138

package upstream

import (
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/controller/devicetainteviction"
)

type DeviceTaintRule = resourcev1.DeviceTaintRule

func newDeviceController(client kubernetes.Interface, f informers.SharedInformerFactory) *devicetainteviction.Controller {
	r := f.Resource().V1()
	return devicetainteviction.New(client, f.Core().V1().Pods(), r.ResourceClaims(), r.ResourceSlices(), r.DeviceTaintRules(), r.DeviceClasses(), "tolerate")
}
