// OpenVINO's side of a model: reading, how it is compiled for the CPU, what went wrong.
#pragma once

#include <exception>
#include <memory>
#include <string>

#include "openvino/openvino.hpp"

namespace tessera_openvino {

/// Of the process. It is never taken down: OpenVINO's threads may outlive static objects.
ov::Core& core();

/// The device on which everything runs.
constexpr const char* kDevice = "CPU";

/// Opset of the models that OpenVINO's reader gets.
constexpr int kOpset = 20;

/// Reads a serialised ModelProto. Constants with an address point to it as long as the model, or
/// what is compiled of it, lives. Throws what OpenVINO throws.
std::shared_ptr<ov::Model> readModel(const std::string& proto);

/// The same; nodes that OpenVINO does not know become ov::op::util::FrameworkNode.
std::shared_ptr<ov::Model> readPartially(const std::string& proto);

/// f32 as it is, one stream of `numThreads` threads that are free to move.
ov::AnyMap cpuProperties(int numThreads);

/// What OpenVINO says went wrong, as one sentence.
std::string sentenceOf(const std::exception& error);

}  // namespace tessera_openvino
