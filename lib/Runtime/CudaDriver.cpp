//===- CudaDriver.cpp - NVIDIA's driver, loaded at run time ---------------===//
//
// Part of the Cleave project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the CUDA driver's ABI that launching needs, declared here since
// Debian ships no CUDA headers. The "_v2" names are the 64-bit entry points
// that every driver since CUDA 4 exports.
//
//===----------------------------------------------------------------------===//

#include "Cleave/Runtime/CudaDriver.h"

#include <dlfcn.h>
#include <vector>

using namespace mlir::cleave;

namespace {

using Status = int;
using Handle = void *;

/// CUlaunchAttribute and CUlaunchConfig.
struct LaunchAttribute {
  int id;
  char pad[4];
  union {
    char bytes[64];
    int allowed;
  };
};
struct LaunchDescription {
  unsigned grid[3];
  unsigned block[3];
  unsigned sharedBytes;
  Handle stream;
  LaunchAttribute *attributes;
  unsigned numAttributes;
};

/// The entry points; each is looked up under the name given in `resolve`.
struct Api {
  Status (*init)(unsigned);
  Status (*getErrorString)(Status, const char **);
  Status (*deviceGet)(int *, int);
  Status (*deviceGetName)(char *, int, int);
  Status (*deviceGetAttribute)(int *, int, int);
  Status (*retainContext)(Handle *, int);
  Status (*releaseContext)(int);
  Status (*setContext)(Handle);
  Status (*moduleLoad)(Handle *, const void *);
  Status (*moduleUnload)(Handle);
  Status (*moduleGetFunction)(Handle *, Handle, const char *);
  Status (*setFunctionAttribute)(Handle, int, int);
  Status (*launchKernel)(const LaunchDescription *, Handle, void **, void **);
  Status (*memAlloc)(DevicePointer *, size_t);
  Status (*memFree)(DevicePointer);
  Status (*copyToDevice)(DevicePointer, const void *, size_t);
  Status (*copyToHost)(void *, DevicePointer, size_t);
  Status (*fillBytes)(DevicePointer, unsigned char, size_t, Handle);
  Status (*streamCreate)(Handle *, unsigned);
  Status (*streamDestroy)(Handle);
  Status (*streamSynchronize)(Handle);
  Status (*streamBeginCapture)(Handle, int);
  Status (*streamEndCapture)(Handle, Handle *);
  Status (*graphInstantiate)(Handle *, Handle, unsigned long long);
  Status (*graphLaunch)(Handle, Handle);
  Status (*graphExecDestroy)(Handle);
  Status (*graphDestroy)(Handle);
  Status (*eventCreate)(Handle *, unsigned);
  Status (*eventDestroy)(Handle);
  Status (*eventRecord)(Handle, Handle);
  Status (*eventSynchronize)(Handle);
  Status (*eventElapsed)(float *, Handle, Handle);

  llvm::Error resolve(Handle library);
};

/// Numbers of CUdevice_attribute, CUfunction_attribute, CUlaunchAttributeID.
enum {
  attrMultiprocessors = 16,
  attrL2Bytes = 38,
  attrMajor = 75,
  attrMinor = 76,
  attrSharedBytesPerBlock = 97,
  attrMaxDynamicShared = 8,
  attrProgrammaticSerialization = 6,
  streamNonBlocking = 1,
  captureRelaxed = 2
};

llvm::Error Api::resolve(Handle library) {
  std::string missing;
  auto get = [&](auto &entry, const char *name) {
    entry =
        reinterpret_cast<std::decay_t<decltype(entry)>>(dlsym(library, name));
    if (!entry && missing.empty())
      missing = name;
  };
  get(init, "cuInit");
  get(getErrorString, "cuGetErrorString");
  get(deviceGet, "cuDeviceGet");
  get(deviceGetName, "cuDeviceGetName");
  get(deviceGetAttribute, "cuDeviceGetAttribute");
  get(retainContext, "cuDevicePrimaryCtxRetain");
  get(releaseContext, "cuDevicePrimaryCtxRelease_v2");
  get(setContext, "cuCtxSetCurrent");
  get(moduleLoad, "cuModuleLoadData");
  get(moduleUnload, "cuModuleUnload");
  get(moduleGetFunction, "cuModuleGetFunction");
  get(setFunctionAttribute, "cuFuncSetAttribute");
  get(launchKernel, "cuLaunchKernelEx");
  get(memAlloc, "cuMemAlloc_v2");
  get(memFree, "cuMemFree_v2");
  get(copyToDevice, "cuMemcpyHtoD_v2");
  get(copyToHost, "cuMemcpyDtoH_v2");
  get(fillBytes, "cuMemsetD8Async");
  get(streamCreate, "cuStreamCreate");
  get(streamDestroy, "cuStreamDestroy_v2");
  get(streamSynchronize, "cuStreamSynchronize");
  get(streamBeginCapture, "cuStreamBeginCapture_v2");
  get(streamEndCapture, "cuStreamEndCapture");
  get(graphInstantiate, "cuGraphInstantiateWithFlags");
  get(graphLaunch, "cuGraphLaunch");
  get(graphExecDestroy, "cuGraphExecDestroy");
  get(graphDestroy, "cuGraphDestroy");
  get(eventCreate, "cuEventCreate");
  get(eventDestroy, "cuEventDestroy_v2");
  get(eventRecord, "cuEventRecord");
  get(eventSynchronize, "cuEventSynchronize");
  get(eventElapsed, "cuEventElapsedTime");
  if (missing.empty())
    return llvm::Error::success();
  return llvm::createStringError("the CUDA driver lacks '" + missing + "'");
}

class CudaDriver final : public Driver {
public:
  ~CudaDriver() override;

  llvm::Error open(int number, llvm::StringRef library);

  DeviceInfo getInfo() override;
  llvm::Expected<Module> loadModule(llvm::StringRef image) override;
  void unloadModule(Module module) override { api.moduleUnload(module); }
  llvm::Expected<Function> getFunction(Module module,
                                       llvm::StringRef name) override;
  llvm::Error reserveSharedMemory(Function function, int64_t bytes) override;
  llvm::Expected<DevicePointer> allocate(int64_t bytes) override;
  void release(DevicePointer pointer) override { api.memFree(pointer); }
  llvm::Error copyToDevice(DevicePointer to,
                           llvm::ArrayRef<char> from) override;
  llvm::Error copyToHost(llvm::MutableArrayRef<char> to,
                         DevicePointer from) override;
  llvm::Error fill(DevicePointer to, uint8_t byte, int64_t count) override;
  llvm::Error launch(Function function, const LaunchConfig &config,
                     llvm::ArrayRef<uint64_t> params) override;
  llvm::Error synchronize() override;
  llvm::Error beginCapture() override;
  llvm::Expected<Graph> endCapture() override;
  llvm::Error launchGraph(Graph graph) override;
  void destroyGraph(Graph graph) override { api.graphExecDestroy(graph); }
  llvm::Error recordMark(unsigned mark) override;
  llvm::Expected<double> elapsedMicroseconds(unsigned from,
                                             unsigned to) override;

private:
  /// The driver's own text behind what was tried.
  llvm::Error check(Status status, const llvm::Twine &what);
  int getAttribute(int attribute);

  Handle library = nullptr;
  Api api = {};
  int device = 0;
  Handle context = nullptr;
  Handle stream = nullptr;
  std::vector<Handle> marks;
};

CudaDriver::~CudaDriver() {
  // The library stays loaded: it has threads of its own.
  if (!context)
    return;
  for (Handle event : marks)
    api.eventDestroy(event);
  if (stream)
    api.streamDestroy(stream);
  api.releaseContext(device);
}

llvm::Error CudaDriver::check(Status status, const llvm::Twine &what) {
  if (status == 0)
    return llvm::Error::success();
  const char *text = nullptr;
  api.getErrorString(status, &text);
  return llvm::createStringError(what + ": " + (text ? text : "unknown") +
                                 " (CUDA error " + llvm::Twine(status) + ")");
}

llvm::Error CudaDriver::open(int number, llvm::StringRef name) {
  library = dlopen(name.str().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return llvm::createStringError("no CUDA driver: cannot load '" +
                                   name.str() + "'");
  if (llvm::Error error = api.resolve(library))
    return error;
  if (llvm::Error error = check(api.init(0), "cannot start the CUDA driver"))
    return error;
  if (llvm::Error error = check(api.deviceGet(&device, number),
                                "cannot open device " + llvm::Twine(number)))
    return error;
  if (llvm::Error error =
          check(api.retainContext(&context, device), "cannot create a context"))
    return error;
  if (llvm::Error error =
          check(api.setContext(context), "cannot set the context"))
    return error;
  return check(api.streamCreate(&stream, streamNonBlocking),
               "cannot create a stream");
}

int CudaDriver::getAttribute(int attribute) {
  int value = 0;
  api.deviceGetAttribute(&value, attribute, device);
  return value;
}

DeviceInfo CudaDriver::getInfo() {
  DeviceInfo info;
  char name[256] = "";
  api.deviceGetName(name, sizeof(name), device);
  info.name = name;
  info.chip = "sm_" + std::to_string(getAttribute(attrMajor)) +
              std::to_string(getAttribute(attrMinor));
  info.multiprocessors = getAttribute(attrMultiprocessors);
  info.l2Bytes = getAttribute(attrL2Bytes);
  info.sharedBytesPerBlock = getAttribute(attrSharedBytesPerBlock);
  return info;
}

llvm::Expected<Driver::Module> CudaDriver::loadModule(llvm::StringRef image) {
  // PTX must end in a zero; a cubin is an ELF file that knows its length.
  std::string copy = image.str();
  Handle module = nullptr;
  if (llvm::Error error =
          check(api.moduleLoad(&module, copy.c_str()), "cannot load a kernel"))
    return std::move(error);
  return module;
}

llvm::Expected<Driver::Function> CudaDriver::getFunction(Module module,
                                                         llvm::StringRef name) {
  Handle function = nullptr;
  if (llvm::Error error =
          check(api.moduleGetFunction(&function, module, name.str().c_str()),
                "cannot find kernel '" + name + "'"))
    return std::move(error);
  return function;
}

llvm::Error CudaDriver::reserveSharedMemory(Function function, int64_t bytes) {
  return check(api.setFunctionAttribute(function, attrMaxDynamicShared, bytes),
               "cannot reserve " + llvm::Twine(bytes) +
                   " bytes of shared memory");
}

llvm::Expected<DevicePointer> CudaDriver::allocate(int64_t bytes) {
  DevicePointer pointer = 0;
  if (llvm::Error error = check(api.memAlloc(&pointer, bytes ? bytes : 1),
                                "cannot allocate " + llvm::Twine(bytes) +
                                    " bytes on the device"))
    return std::move(error);
  return pointer;
}

llvm::Error CudaDriver::copyToDevice(DevicePointer to,
                                     llvm::ArrayRef<char> from) {
  if (from.empty())
    return llvm::Error::success();
  if (llvm::Error error = check(api.copyToDevice(to, from.data(), from.size()),
                                "cannot copy to the device"))
    return error;
  // From pageable memory the copy may still be under way on the default
  // stream, for which the launching stream does not wait.
  return check(api.streamSynchronize(nullptr), "cannot copy to the device");
}

llvm::Error CudaDriver::copyToHost(llvm::MutableArrayRef<char> to,
                                   DevicePointer from) {
  if (to.empty())
    return llvm::Error::success();
  // The stream does not wait for the default stream, nor the other way round.
  if (llvm::Error error = synchronize())
    return error;
  return check(api.copyToHost(to.data(), from, to.size()),
               "cannot copy from the device");
}

llvm::Error CudaDriver::fill(DevicePointer to, uint8_t byte, int64_t count) {
  if (!count)
    return llvm::Error::success();
  if (llvm::Error error = check(api.fillBytes(to, byte, count, stream),
                                "cannot fill device memory"))
    return error;
  return synchronize();
}

llvm::Error CudaDriver::launch(Function function, const LaunchConfig &config,
                               llvm::ArrayRef<uint64_t> params) {
  std::vector<void *> pointers;
  for (const uint64_t &param : params)
    pointers.push_back(const_cast<uint64_t *>(&param));
  LaunchAttribute overlaps = {attrProgrammaticSerialization, {}, {}};
  overlaps.allowed = 1;
  LaunchDescription launch = {};
  llvm::copy(config.grid, launch.grid);
  llvm::copy(config.block, launch.block);
  launch.sharedBytes = config.sharedBytes;
  launch.stream = stream;
  launch.attributes = &overlaps;
  launch.numAttributes = config.overlaps ? 1 : 0;
  return check(api.launchKernel(&launch, function, pointers.data(), nullptr),
               "cannot launch a kernel");
}

llvm::Error CudaDriver::synchronize() {
  return check(api.streamSynchronize(stream), "a kernel failed");
}

llvm::Error CudaDriver::beginCapture() {
  return check(api.streamBeginCapture(stream, captureRelaxed),
               "cannot capture launches");
}

llvm::Expected<Driver::Graph> CudaDriver::endCapture() {
  Handle graph = nullptr, executable = nullptr;
  if (llvm::Error error = check(api.streamEndCapture(stream, &graph),
                                "cannot capture launches"))
    return std::move(error);
  Status status = api.graphInstantiate(&executable, graph, 0);
  api.graphDestroy(graph);
  if (llvm::Error error = check(status, "cannot instantiate a graph"))
    return std::move(error);
  return executable;
}

llvm::Error CudaDriver::launchGraph(Graph graph) {
  return check(api.graphLaunch(graph, stream), "cannot launch a graph");
}

llvm::Error CudaDriver::recordMark(unsigned mark) {
  while (marks.size() <= mark) {
    Handle event = nullptr;
    if (llvm::Error error =
            check(api.eventCreate(&event, 0), "cannot create an event"))
      return error;
    marks.push_back(event);
  }
  return check(api.eventRecord(marks[mark], stream), "cannot record an event");
}

llvm::Expected<double> CudaDriver::elapsedMicroseconds(unsigned from,
                                                       unsigned to) {
  if (from >= marks.size() || to >= marks.size())
    return llvm::createStringError("a mark was not recorded");
  if (llvm::Error error =
          check(api.eventSynchronize(marks[to]), "a kernel failed"))
    return std::move(error);
  float milliseconds = 0;
  if (llvm::Error error =
          check(api.eventElapsed(&milliseconds, marks[from], marks[to]),
                "cannot measure time"))
    return std::move(error);
  return milliseconds * 1000.0;
}

} // namespace

llvm::Expected<std::unique_ptr<Driver>>
mlir::cleave::createCudaDriver(int device, llvm::StringRef library) {
  auto driver = std::make_unique<CudaDriver>();
  if (llvm::Error error = driver->open(device, library))
    return std::move(error);
  return driver;
}
